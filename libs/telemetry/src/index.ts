export { ATTRIBUTES } from './attributes';
export { createLogger } from './logger';
export { startTelemetry, type Telemetry, type TelemetryOptions } from './provider';
export { redactText, registerSecret } from './redaction';
export { currentTraceparent, inSpan, type ActiveSpan, type AttributeValue, type SpanOptions } from './span';
export { formatTraceparent, parseTraceparent, traceIdOf } from './traceparent';
