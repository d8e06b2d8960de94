import { eventually } from '@assay/testing';
import { clearedAway, reached, surroundings, type Surroundings } from '../harness/test-dispatcher';
import {
  aRequest,
  PACKAGE,
  published,
  receiptFor,
  releaseBench,
  type ReleaseBench,
  startBenched,
  stopBench,
} from './harness/release-bench';

// docs/notifications.md, `package.late`.

let around: Surroundings;
let bench: ReleaseBench;
beforeEach(async () => {
  around = await surroundings();
  bench = await releaseBench(around);
  await published(bench, 'v1.0.0');
});
afterEach(async () => {
  await stopBench(bench);
  await clearedAway(around);
});

const looks = async (): Promise<number> =>
  (await around.database.query<{ n: number }>('select coalesce(max(poll_tries), 0) as n from runs'))[0]?.n ?? 0;
const lateEvents = (): Promise<{ data: { error: string } }[]> =>
  around.database.query(`select data from events where type = 'package.late'`);

test('a package that is late is noted once, and the run goes on waiting for it', async () => {
  const service = await startBenched(bench, { ASSAY_PACKAGE_LATE_MINUTES: '0.005' });
  const { runId } = await receiptFor(service, aRequest('v1.0.0'));
  await eventually(async () => (await lateEvents()).length > 0, { timeoutMs: 30_000, what: 'the package to be late' });
  const seen = await looks();
  await eventually(async () => (await looks()) >= seen + 3, { timeoutMs: 30_000, what: 'three looks more' });
  expect(await lateEvents()).toEqual([
    { data: expect.objectContaining({ error: expect.stringContaining(`${PACKAGE}@1.0.0`) as string }) as unknown },
  ]);
  expect(await around.database.query('select event from notices')).toEqual([{ event: 'package.late' }]);
  bench.npm.publish(PACKAGE, '1.0.0');
  expect((await reached(service, runId, 'QUEUED')).failure).toBeNull();
});

test('a package that is waited for within the time is no news', async () => {
  const service = await startBenched(bench);
  await receiptFor(service, aRequest('v1.0.0'));
  await eventually(async () => (await looks()) >= 3, { timeoutMs: 30_000, what: 'three looks' });
  expect(await lateEvents()).toEqual([]);
});
