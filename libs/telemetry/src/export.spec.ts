import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { eventually, startOtlpReceiver, type OtlpReceiver } from '@assay/testing';
import { inSpan, startTelemetry } from './index';

// The SDK reads these from the environment of the process: short batches, and no tries beyond the test's own end.
beforeAll(() => {
  process.env['OTEL_BSP_SCHEDULE_DELAY'] = '100';
  process.env['OTEL_EXPORTER_OTLP_TIMEOUT'] = '3500';
});

describe('with a collector', () => {
  let receiver: OtlpReceiver;
  beforeEach(async () => {
    receiver = await startOtlpReceiver();
  });
  afterEach(() => receiver.stop());

  test('a shutdown sends all spans, with service, parent, attributes, events and links', async () => {
    const telemetry = startTelemetry({ service: 'one', env: { OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/` } });
    expect(telemetry.exporting).toBe(true);
    const earlier = await inSpan('earlier', { root: true }, ({ traceparent }) => Promise.resolve(traceparent));
    await inSpan('outer', { root: true, kind: 'server' }, () =>
      inSpan('inner', { links: [earlier], attributes: { n: 3, s: 'x', b: true } }, (span) => {
        span.addEvent('happened');
        return Promise.resolve();
      }),
    );
    await telemetry.shutdown();
    const [first, inner, outer] = receiver.spans;
    expect(receiver.spans.map(({ name, service }) => [name, service])).toEqual([
      ['earlier', 'one'],
      ['inner', 'one'],
      ['outer', 'one'],
    ]);
    expect(outer?.parentSpanId).toBeNull();
    expect(inner).toMatchObject({
      traceId: outer!.traceId,
      parentSpanId: outer!.spanId,
      attributes: { n: 3, s: 'x', b: true },
      events: ['happened'],
      links: [{ traceId: first!.traceId, spanId: first!.spanId }],
      failed: false,
    });
  });

  test('spans go out during the life of the process too', async () => {
    const telemetry = startTelemetry({ service: 'one', env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url } });
    await inSpan('early', { root: true }, () => Promise.resolve());
    await eventually(() => receiver.spans.length === 1, { what: 'the batch to be sent' });
    await telemetry.shutdown();
  });

  test('a thrown error is recorded and marks the span', async () => {
    const telemetry = startTelemetry({ service: 'one', env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url } });
    await expect(inSpan('bad', { root: true }, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    await telemetry.shutdown();
    expect(receiver.spans).toMatchObject([{ name: 'bad', failed: true, events: ['exception'] }]);
  });

  test('OTEL_SERVICE_NAME outranks the name in code', async () => {
    const env = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/v1/traces`, OTEL_SERVICE_NAME: 'other' };
    const telemetry = startTelemetry({ service: 'one', env });
    await inSpan('a', { root: true }, () => Promise.resolve());
    await telemetry.shutdown();
    expect(receiver.spans).toMatchObject([{ service: 'other' }]);
  });

  test('a second start takes the place of the first', async () => {
    startTelemetry({ service: 'first', env: {} });
    const second = startTelemetry({ service: 'second', env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url } });
    await inSpan('a', { root: true }, () => Promise.resolve());
    await second.shutdown();
    expect(receiver.spans).toMatchObject([{ service: 'second' }]);
  });
});

test('without the OTEL_ variables nothing is exported, and spans still have ids', async () => {
  const telemetry = startTelemetry({ service: 'one', env: {} });
  expect(telemetry.exporting).toBe(false);
  const traceparent = await inSpan('a', { root: true }, (span) => Promise.resolve(span.traceparent));
  expect(traceparent).toMatch(/^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-01$/);
  await telemetry.shutdown();
});

test('a collector that is away does not keep a service from ending', async () => {
  const problems: string[] = [];
  const telemetry = startTelemetry({
    service: 'one',
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' },
    onProblem: (problem) => void problems.push(problem),
  });
  await inSpan('a', { root: true }, () => Promise.resolve());
  const begun = Date.now();
  await telemetry.shutdown();
  expect(Date.now() - begun).toBeLessThan(4_500);
  expect(problems.join('\n')).toMatch(/not sent|not taken|ECONNREFUSED/);
});

test('a collector that never answers holds a shutdown for three seconds at most', async () => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const telemetry = startTelemetry({
    service: 'one',
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` },
  });
  await inSpan('a', { root: true }, () => Promise.resolve());
  const begun = Date.now();
  await telemetry.shutdown();
  expect(Date.now() - begun).toBeLessThan(4_500);
  silent.closeAllConnections();
  silent.close();
});
