import { context, trace } from '@opentelemetry/api';
import pino, { type DestinationStream, type Logger } from 'pino';
import { redactLine } from './redaction';

/**
 * A logger of JSON lines on stdout: `level` as a word, ISO time, the service, the ids of the active span, and no
 * secrets (by key at any depth, and by every value that `registerSecret` knows). One constant sentence a line, the
 * rest in fields; errors under `err`.
 * @param level pino's: trace, debug, info, warn, error, fatal, silent
 * @param destination for tests; default stdout, written synchronously so that a dying process loses no line
 */
export function createLogger(service: string, level = 'info', destination?: DestinationStream): Logger {
  return pino(
    {
      level,
      base: { service, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: pino.stdSerializers.errWithCause, error: pino.stdSerializers.errWithCause },
      mixin: spanIds,
      hooks: { streamWrite: redactLine },
    },
    destination ?? pino.destination({ fd: 1, sync: true }),
  );
}

function spanIds(): Record<string, string> {
  const active = trace.getSpanContext(context.active());
  if (active === undefined || !trace.isSpanContextValid(active)) return {};
  return { trace_id: active.traceId, span_id: active.spanId };
}
