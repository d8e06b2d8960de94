import { context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Context, type Span } from '@opentelemetry/api';
import { tracer } from './provider';
import { formatTraceparent, parseTraceparent } from './traceparent';

export type AttributeValue = string | number | boolean;

export interface SpanOptions {
  /** W3C traceparent of the span's parent, usually from a message or a row. Absent or malformed: the current span. */
  readonly parent?: string | null;
  /** Begins a new trace, whatever is current. */
  readonly root?: boolean;
  readonly kind?: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  readonly attributes?: Readonly<Record<string, AttributeValue>>;
  /** W3C traceparents of spans that this one has to do with; malformed ones are left out. */
  readonly links?: readonly string[];
}

/** The span that `inSpan` opened, for the work inside it. */
export interface ActiveSpan {
  /** To be stored in a row or sent in a message: whoever names it as parent continues this trace. */
  readonly traceparent: string;
  readonly traceId: string;
  setAttribute(name: string, value: AttributeValue): void;
  addEvent(name: string, attributes?: Readonly<Record<string, AttributeValue>>): void;
  /** Another name, known only now: a request's route. */
  rename(name: string): void;
  /** Marks the span as failed without an exception. */
  fail(message: string): void;
}

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

/**
 * Runs `work` inside a new span that is current for all that `work` awaits, and ends the span with it. What `work`
 * throws is recorded on the span, marks it as failed, and is thrown on.
 */
export async function inSpan<T>(
  name: string,
  options: SpanOptions,
  work: (span: ActiveSpan) => Promise<T>,
): Promise<T> {
  const parent = contextOf(options);
  const span = tracer().startSpan(name, startOptions(options), parent);
  try {
    return await context.with(trace.setSpan(parent, span), () => work(activeSpan(span)));
  } catch (error) {
    const exception = error instanceof Error ? error : new Error(String(error));
    span.recordException(exception);
    span.setStatus({ code: SpanStatusCode.ERROR, message: exception.message });
    throw error;
  } finally {
    span.end();
  }
}

/** The traceparent of the current span; null outside of any. */
export function currentTraceparent(): string | null {
  const active = trace.getSpanContext(context.active());
  return active === undefined || !trace.isSpanContextValid(active) ? null : formatTraceparent(active);
}

function contextOf({ parent, root }: SpanOptions): Context {
  if (root === true) return ROOT_CONTEXT;
  const remote = parseTraceparent(parent);
  return remote === null ? context.active() : trace.setSpanContext(ROOT_CONTEXT, remote);
}

function startOptions({ kind = 'internal', attributes = {}, links = [] }: SpanOptions) {
  const linked = links.flatMap((link) => parseTraceparent(link) ?? []);
  return { kind: KINDS[kind], attributes, links: linked.map((spanContext) => ({ context: spanContext })) };
}

function activeSpan(span: Span): ActiveSpan {
  return {
    traceparent: formatTraceparent(span.spanContext()),
    traceId: span.spanContext().traceId,
    setAttribute: (name, value) => void span.setAttribute(name, value),
    addEvent: (name, attributes) => void span.addEvent(name, attributes ?? {}),
    rename: (name) => void span.updateName(name),
    fail: (message) => void span.setStatus({ code: SpanStatusCode.ERROR, message }),
  };
}
