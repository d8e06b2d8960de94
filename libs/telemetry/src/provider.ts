import { hostname } from 'node:os';
import { context, diag, DiagLogLevel, propagation, trace, type Tracer } from '@opentelemetry/api';
import { detectResources, envDetector, resourceFromAttributes, type Resource } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { ATTR_SERVICE_NAME } from '@opentelemetry/semantic-conventions';
import { otlpExporter, tracesUrl } from './exporter';

/** How long a shutdown waits for the collector. */
const FLUSH_BOUND_MS = 3_000;

export interface TelemetryOptions {
  /** `service.name`, unless OTEL_SERVICE_NAME says otherwise. */
  readonly service: string;
  /** Where the OTEL_ variables are read from; default `process.env`. */
  readonly env?: NodeJS.ProcessEnv;
  /** Told what keeps spans from being sent (a collector that is away, wrong settings). Default: nobody is. */
  readonly onProblem?: (problem: string) => void;
}

export interface Telemetry {
  /** True when spans leave the process. */
  readonly exporting: boolean;
  /** Sends what is still held, for at most three seconds; never rejects. Spans after it are not recorded. */
  readonly shutdown: () => Promise<void>;
}

let current: NodeTracerProvider | null = null;

/**
 * Registers the process's tracer provider, so that every span has real ids, and an OTLP/HTTP exporter when the
 * standard OTEL_ variables ask for one. A second call replaces the first.
 */
export function startTelemetry({
  service,
  env = process.env,
  onProblem = () => undefined,
}: TelemetryOptions): Telemetry {
  reportProblems(onProblem);
  const url = tracesUrl(env);
  const processors = url === null ? [] : [new BatchSpanProcessor(otlpExporter(url))];
  const provider = new NodeTracerProvider({ resource: resourceOf(service, env), spanProcessors: processors });
  register(provider);
  return { exporting: url !== null, shutdown: () => bounded(provider, onProblem) };
}

/** The tracer of the registered provider; registers one without an exporter when nothing was started. */
export function tracer(): Tracer {
  if (current === null) register(new NodeTracerProvider());
  return trace.getTracer('assay');
}

function register(provider: NodeTracerProvider): void {
  // The API keeps the first registration for ever unless it is taken down.
  trace.disable();
  context.disable();
  propagation.disable();
  provider.register();
  current = provider;
}

function resourceOf(service: string, env: NodeJS.ProcessEnv): Resource {
  return resourceFromAttributes({
    [ATTR_SERVICE_NAME]: service,
    'service.instance.id': `${hostname()}-${process.pid}`,
    'process.pid': process.pid,
    'host.name': hostname(),
  })
    .merge(detectResources({ detectors: [envDetector] }))
    .merge(
      resourceFromAttributes(
        (env['OTEL_SERVICE_NAME'] ?? '') === '' ? {} : { [ATTR_SERVICE_NAME]: env['OTEL_SERVICE_NAME'] ?? service },
      ),
    );
}

/** The SDK tells its troubles to a logger of its own; its errors and warnings are ours to know. */
function reportProblems(onProblem: (problem: string) => void): void {
  const tell = (message: string): void => {
    onProblem(message);
  };
  const ignore = (): void => undefined;
  const logger = { error: tell, warn: tell, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}

/** A collector that is away must not keep a service from ending: what it has not taken by then is lost, by design. */
async function bounded(provider: NodeTracerProvider, onProblem: (problem: string) => void): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const bound = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      onProblem(`the last spans were not taken within ${FLUSH_BOUND_MS} ms`);
      resolve();
    }, FLUSH_BOUND_MS);
  });
  const flushed = provider.shutdown().catch((error: unknown) => {
    onProblem(`the last spans were not sent: ${error instanceof Error ? error.message : String(error)}`);
  });
  await Promise.race([flushed, bound]);
  clearTimeout(timer);
}
