import { eventually, startOtlpReceiver, type OtlpReceiver, type ReceivedSpan } from '@assay/testing';
import { scratchFolder, TestDeployment } from '../harness/deployment';
import { writeSuite } from '../harness/suite-builder';

let scratch: Awaited<ReturnType<typeof scratchFolder>>;
let receiver: OtlpReceiver;
let deployment: TestDeployment;

beforeAll(async () => {
  scratch = await scratchFolder();
  receiver = await startOtlpReceiver();
  await writeSuite(scratch.dir, { name: 'slow', agent: 'oracle', tasks: [{ id: 'one', solveSeconds: 3 }] });
  deployment = await TestDeployment.start({
    suitesDir: scratch.dir,
    executors: 2,
    slots: 1,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_BSP_SCHEDULE_DELAY: '200' },
  });
}, 120_000);
afterAll(async () => {
  await deployment.stop();
  await receiver.stop();
  await scratch.remove();
});

test('dispatch, every claim, trial, grade and the terminal state of an instance with a retry are one trace', async () => {
  const { runId } = await deployment.submit({ suite: 'slow' });
  const killed: string[] = [];
  await eventually(
    async () => {
      const [instance] = await deployment.instances(runId);
      if (instance?.state === 'RUNNING_AGENT' && instance.worker !== null) killed.push(instance.worker);
      return killed.length > 0;
    },
    { timeoutMs: 30_000, what: 'the trial to run' },
  );
  const [victim] = [...deployment.services].find(
    ([name, service]) =>
      name.startsWith('executor') && killed[0]?.split(/[^0-9]+/).includes(String(service.pid)) === true,
  ) ?? ['none'];
  await deployment.service(victim).end('SIGKILL');
  expect((await deployment.finished(runId)).counts.resolved).toBe(1);
  const [instance] = await deployment.instances(runId);
  const traceId = instance?.traceId ?? '';
  expect(traceId).toMatch(/^[0-9a-f]{32}$/);

  const spansOf = (): ReceivedSpan[] => receiver.spans.filter((span) => span.traceId === traceId);
  const named = (name: string): ReceivedSpan[] => spansOf().filter((span) => span.name === name);
  await eventually(
    () => named('terminal').length === 1 && named('grade').length === 1 && named('record grade').length === 1,
    {
      timeoutMs: 20_000,
      what: 'the spans to arrive',
    },
  );
  expect(named('claim trial')).toHaveLength(2);
  expect(named('claim grade')).toHaveLength(1);
  expect(named('trial').length).toBeGreaterThanOrEqual(1);
  expect(named('record trial')).toHaveLength(1);

  const services = new Set(spansOf().map(({ service }) => service));
  for (const name of ['dispatcher', 'coordinator', 'executor', 'grader']) {
    expect([...services].some((service) => service.includes(name))).toBe(true);
  }

  // The root is a short dispatch span; attempts are its children, and the second links to the first.
  const roots = spansOf().filter(({ parentSpanId }) => parentSpanId === null);
  expect(roots).toHaveLength(1);
  const claims = named('claim trial');
  expect(claims.map(({ parentSpanId }) => parentSpanId)).toEqual([roots[0]?.spanId, roots[0]?.spanId]);
  const linked = claims.filter(({ links }) => links.length > 0);
  expect(linked).toHaveLength(1);
  expect(claims.map(({ spanId }) => spanId)).toContain(linked[0]?.links[0]?.spanId);
  // Every span's parent is there, except what the killed executor took with it.
  const ids = new Set(spansOf().map(({ spanId }) => spanId));
  const orphans = spansOf().filter(({ parentSpanId }) => parentSpanId !== null && !ids.has(parentSpanId));
  expect(orphans.filter(({ service }) => !/coordinator/.test(service))).toEqual([]);
}, 120_000);
