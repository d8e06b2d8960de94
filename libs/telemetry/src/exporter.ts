import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';

/**
 * Where spans go by the standard variables (https://opentelemetry.io/docs/specs/otel/protocol/exporter/): the traces
 * endpoint as it stands, else the common endpoint with `/v1/traces`, else the collector's usual port when
 * OTEL_TRACES_EXPORTER asks for otlp. Null, and nothing is exported, when none of them is set, or when
 * OTEL_TRACES_EXPORTER=none or OTEL_SDK_DISABLED=true says so.
 */
export function tracesUrl(env: NodeJS.ProcessEnv): string | null {
  const value = (name: string): string => (env[name] ?? '').trim();
  if (value('OTEL_SDK_DISABLED').toLowerCase() === 'true') return null;
  const exporters = value('OTEL_TRACES_EXPORTER')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (exporters.length > 0 && !exporters.includes('otlp')) return null;
  const own = value('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  if (own !== '') return own;
  const common = value('OTEL_EXPORTER_OTLP_ENDPOINT');
  if (common !== '') return `${common.replace(/\/+$/, '')}/v1/traces`;
  return exporters.length > 0 ? 'http://localhost:4318/v1/traces' : null;
}

/** An exporter to `url`; headers, timeout and compression come from the standard variables. */
export function otlpExporter(url: string): OTLPTraceExporter {
  return new OTLPTraceExporter({ url });
}
