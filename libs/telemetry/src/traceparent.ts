import { TraceFlags, type SpanContext } from '@opentelemetry/api';

const PATTERN = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const NO_TRACE = '0'.repeat(32);
const NO_SPAN = '0'.repeat(16);

/**
 * Reads a W3C `traceparent` (https://www.w3.org/TR/trace-context/). Null when it is absent, malformed or all zeros:
 * the specification says that such a header is to be ignored.
 */
export function parseTraceparent(text: string | null | undefined): SpanContext | null {
  const found = PATTERN.exec(text ?? '');
  const [, traceId, spanId, flags] = found ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  if (traceId === NO_TRACE || spanId === NO_SPAN) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true };
}

/** The `traceparent` of a span's context. */
export function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/** The trace id (32 hexadecimal digits) in a `traceparent`; the empty string when it is malformed. */
export function traceIdOf(traceparent: string): string {
  return parseTraceparent(traceparent)?.traceId ?? '';
}
