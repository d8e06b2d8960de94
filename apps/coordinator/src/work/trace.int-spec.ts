import type { RunId } from '@assay/contracts';
import {
  aFailure,
  aManifest,
  aResult,
  completedTrial,
  eventually,
  failedTrial,
  graded,
  startOtlpReceiver,
  workKey,
  type OtlpReceiver,
} from '@assay/testing';
import { CoordinatorBench } from '../harness/test-coordinator';

// Design rule 10: each instance is one trace, attempts link to the attempt before.

const TRACE = 'd'.repeat(32);
const ROOT_SPAN = 'e'.repeat(16);

let bench: CoordinatorBench;
let collector: OtlpReceiver;
let runId: RunId;
beforeAll(async () => {
  collector = await startOtlpReceiver();
  bench = await CoordinatorBench.open();
  await bench.start({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '100',
    },
  });
});
afterAll(async () => {
  await bench.close();
  await collector.stop();
});

const spans = (name: string) => collector.spans.filter((span) => span.traceId === TRACE && span.name === name);
const trial = (instance = 'i-1') => workKey(runId, 'trial', instance);

test('claims of both attempts, of the grade, and the terminal state stand in the instance’s trace', async () => {
  const manifest = aManifest({ instances: ['i-1', 'i-2'] });
  runId = await bench.submit({ manifest, traceparent: `00-${TRACE}-${ROOT_SPAN}-01` });
  await eventually(async () => (await bench.database.query('select 1 from work_items')).length === 2);
  await bench.deliver(aResult(await bench.hold(trial()), failedTrial()));
  const patch = await bench.artifacts.put('patch', 'text/x-diff', Buffer.from('--- a\n'));
  const trajectory = await bench.artifacts.put('trajectory', 'application/json', Buffer.from('{}'));
  await bench.deliver(aResult(await bench.hold(trial()), completedTrial({ patch, trajectory })));
  await bench.deliver(aResult(await bench.hold(workKey(runId, 'grade')), graded('RESOLVED')));
  await eventually(() => spans('terminal').length === 1, { what: 'the spans to be exported' });

  const claims = spans('claim trial');
  expect(claims.map(({ attributes }) => attributes['assay.attempt'])).toEqual([1, 2]);
  expect(claims.map(({ parentSpanId }) => parentSpanId)).toEqual([ROOT_SPAN, ROOT_SPAN]);
  expect(claims.map(({ links }) => links)).toEqual([[], [{ traceId: TRACE, spanId: claims[0]?.spanId }]]);
  const recorded = spans('record trial').map(({ parentSpanId }) => parentSpanId);
  expect(recorded).toEqual(claims.map(({ spanId }) => spanId));
  expect(spans('claim grade')).toMatchObject([{ parentSpanId: ROOT_SPAN, links: [] }]);
  expect(spans('terminal')).toMatchObject([
    { parentSpanId: ROOT_SPAN, attributes: { 'assay.state': 'RESOLVED', 'assay.instance.id': 'i-1' } },
  ]);
});

test('the end of a failed and of a cancelled instance stand there too', async () => {
  await bench.call('run.cancel', { runId });
  await eventually(() => spans('terminal').length === 2);
  expect(spans('terminal')[1]).toMatchObject({
    attributes: { 'assay.state': 'CANCELLED', 'assay.instance.id': 'i-2' },
  });
  runId = await bench.submit({ traceparent: `00-${TRACE}-${ROOT_SPAN}-01` });
  await eventually(
    async () => (await bench.database.query('select 1 from work_items where run_id = $1', [runId])).length === 1,
  );
  await bench.deliver(aResult(await bench.hold(trial()), failedTrial(aFailure('agent', 'agent_crashed'))));
  await eventually(() => spans('terminal').length === 3);
  expect(spans('terminal')[2]).toMatchObject({
    attributes: { 'assay.state': 'EXECUTION_ERROR', 'assay.failure.code': 'agent_crashed' },
  });
});
