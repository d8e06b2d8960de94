import { RunId } from '@assay/contracts';
import { eventually, seedRun } from '@assay/testing';
import { CoordinatorBench } from '../harness/test-coordinator';

let bench: CoordinatorBench;
beforeEach(async () => {
  bench = await CoordinatorBench.open();
});
afterEach(() => bench.close());

const links = (): Promise<{ state: string; suite: string | null }[]> =>
  bench.database.query(
    `select c.state, r.suite from chains c left join runs r on r.id = c.child_run_id order by c.run_id, c.position`,
  );

/** A run that the dispatcher ended while it waited, with a chain behind it. */
async function failedWhileItWaited(code: string): Promise<RunId> {
  const runId = await seedRun(bench.database, { release: { repository: 'example/agent', id: 7, tag: 'v1.0.0' } });
  await bench.database.query(`insert into chains (run_id, position, suite) values ($1, 0, 'second')`, [runId]);
  await bench.database.query('delete from instances where run_id = $1', [runId]);
  await bench.database.query('delete from publications where run_id = $1', [runId]);
  await bench.database.query(
    `update runs set state = 'FAILED', publication_state = 'NONE', failure = $2, finished_at = now() where id = $1`,
    [runId, JSON.stringify({ code, message: 'it cannot be' })],
  );
  return runId;
}

test('the sweep starts what follows a run that no result ended, once, from two coordinators', async () => {
  const runId = await failedWhileItWaited('suite_invalid');
  await Promise.all([bench.start(), bench.start()]);
  await eventually(async () => (await links())[0]?.state === 'STARTED');
  expect(await links()).toEqual([{ state: 'STARTED', suite: 'second' }]);
  const children = await bench.database.query('select id, state from runs where id <> $1', [runId]);
  expect(children).toMatchObject([{ state: 'WAITING' }]);
});

test('the sweep ends a chain behind a package that never came', async () => {
  await failedWhileItWaited('package_late');
  await bench.start();
  await eventually(async () => (await links())[0]?.state === 'SKIPPED');
  expect(await links()).toEqual([{ state: 'SKIPPED', suite: null }]);
});
