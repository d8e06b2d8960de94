import { tracesUrl } from './exporter';

test.each<[string, NodeJS.ProcessEnv, string | null]>([
  ['nothing set', {}, null],
  ['empty variables', { OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_TRACES_EXPORTER: ' ' }, null],
  ['the common endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' }, 'http://c:4318/v1/traces'],
  ['the common endpoint below a path', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c/otel/' }, 'http://c/otel/v1/traces'],
  [
    'the traces endpoint, which is taken as it stands',
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://t/in' },
    'http://t/in',
  ],
  ['only the exporter', { OTEL_TRACES_EXPORTER: 'otlp' }, 'http://localhost:4318/v1/traces'],
  ['one of several exporters', { OTEL_TRACES_EXPORTER: 'console, otlp' }, 'http://localhost:4318/v1/traces'],
  ['exporter none', { OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c' }, null],
  ['SDK disabled', { OTEL_SDK_DISABLED: 'TRUE', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c' }, null],
])('with %s', (_name, env, expected) => {
  expect(tracesUrl(env)).toBe(expected);
});
