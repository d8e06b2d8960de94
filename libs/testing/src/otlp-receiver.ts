import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

/** A span as a collector gets it. */
export interface ReceivedSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Null for the root of a trace. */
  readonly parentSpanId: string | null;
  /** Numbers are numbers, whatever their size on the wire. */
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly string[];
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  /** True when its status is an error. */
  readonly failed: boolean;
}

export interface OtlpReceiver {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string;
  /** All that came so far, in order of arrival. */
  readonly spans: readonly ReceivedSpan[];
  stop(): Promise<void>;
}

const Attribute = z.object({ key: z.string(), value: z.record(z.string(), z.unknown()) });
const Span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  attributes: z.array(Attribute).default([]),
  events: z.array(z.object({ name: z.string() })).default([]),
  links: z.array(z.object({ traceId: z.string(), spanId: z.string() })).default([]),
  status: z.object({ code: z.int().optional() }).default({}),
});
/** `ExportTraceServiceRequest` of OTLP/HTTP in JSON, as far as it is read here. */
const Export = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: z.array(Attribute) }),
      scopeSpans: z.array(z.object({ spans: z.array(Span) })),
    }),
  ),
});

/** OTLP's `STATUS_CODE_ERROR`. */
const ERROR = 2;

/** A collector of a test's own: takes `POST /v1/traces` of OTLP/HTTP in JSON and keeps the spans. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const server = createServer((request, response) => {
    if (request.method !== 'POST' || request.url !== '/v1/traces') {
      response.writeHead(404).end();
      return;
    }
    bodyOf(request).then(
      (body) => {
        spans.push(...spansOf(body));
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      },
      (error: unknown) => {
        response.writeHead(400).end(String(error));
      },
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<z.infer<typeof Export>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Export.parse(JSON.parse(Buffer.concat(chunks).toString('utf8')));
}

function spansOf(body: z.infer<typeof Export>): ReceivedSpan[] {
  return body.resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(valuesOf(resource.attributes)['service.name']);
    return scopeSpans.flatMap((scope) =>
      scope.spans.map((span) => ({
        service,
        name: span.name,
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: (span.parentSpanId ?? '') === '' ? null : (span.parentSpanId ?? null),
        attributes: valuesOf(span.attributes),
        events: span.events.map((event) => event.name),
        links: span.links.map(({ traceId, spanId }) => ({ traceId, spanId })),
        failed: span.status.code === ERROR,
      })),
    );
  });
}

/** An attribute's value stands under the name of its type; a 64-bit number may come as text. */
function valuesOf(attributes: readonly z.infer<typeof Attribute>[]): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      'intValue' in value ? Number(value['intValue']) : Object.values(value)[0],
    ]),
  );
}
