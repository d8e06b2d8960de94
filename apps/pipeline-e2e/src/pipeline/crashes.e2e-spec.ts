import { eventually } from '@assay/testing';
import { scratchFolder, TestDeployment } from '../harness/deployment';
import { writeSuite } from '../harness/suite-builder';

let scratch: Awaited<ReturnType<typeof scratchFolder>>;
let deployment: TestDeployment;

beforeEach(async () => {
  scratch = await scratchFolder();
  await writeSuite(scratch.dir, {
    name: 'slow',
    agent: 'oracle',
    tasks: [{ id: 'slow-one', solveSeconds: 4 }],
  });
  await writeSuite(scratch.dir, {
    name: 'many',
    agent: 'oracle',
    tasks: Array.from({ length: 12 }, (_, index) => ({
      id: `task-${String(index).padStart(2, '0')}`,
      solveSeconds: 1,
    })),
  });
});
afterEach(async () => {
  await deployment.stop();
  await scratch.remove();
});

async function running(runId: string): Promise<string> {
  const workers: string[] = [];
  await eventually(
    async () => {
      const [instance] = await deployment.instances(runId);
      if (instance?.state === 'RUNNING_AGENT' && instance.worker !== null) workers.push(instance.worker);
      return workers.length > 0;
    },
    { timeoutMs: 30_000, what: 'the trial to run' },
  );
  return workers[0] ?? '';
}

/** The executor service whose process is named by a worker id. */
function executorOf(worker: string): string {
  const found = [...deployment.services].find(
    ([name, service]) => name.startsWith('executor') && worker.split(/[^0-9]+/).includes(String(service.pid)),
  );
  if (found === undefined) throw new Error(`no executor is ${worker}`);
  return found[0];
}

test('an executor killed in the middle of a trial loses it to another after its lease; the run ends once', async () => {
  deployment = await TestDeployment.start({ suitesDir: scratch.dir, executors: 2, slots: 1 });
  const { runId } = await deployment.submit({ suite: 'slow' });
  const first = await running(runId);
  await deployment.service(executorOf(first)).end('SIGKILL');
  const view = await deployment.finished(runId);
  expect(view.state).toBe('SUCCEEDED');
  const [instance] = await deployment.instances(runId);
  expect(instance?.state).toBe('RESOLVED');
  const trials = instance?.history.filter(({ kind }) => kind === 'trial') ?? [];
  expect(trials.map(({ state }) => state)).toEqual(['LOST', 'COMPLETED']);
  expect(trials[1]?.worker).not.toBe(first);
}, 120_000);

test('an executor stopped beyond its lease and woken after the grant to another is refused, and says so', async () => {
  deployment = await TestDeployment.start({ suitesDir: scratch.dir, executors: 2, slots: 1 });
  const { runId } = await deployment.submit({ suite: 'slow' });
  const zombie = executorOf(await running(runId));
  deployment.service(zombie).signal('SIGSTOP');
  await eventually(
    async () => {
      const [instance] = await deployment.instances(runId);
      return (instance?.history.filter(({ kind }) => kind === 'trial').length ?? 0) >= 2;
    },
    { timeoutMs: 60_000, what: 'the instance to be granted to another' },
  );
  deployment.service(zombie).signal('SIGCONT');
  const view = await deployment.finished(runId);
  expect(view.counts).toMatchObject({ total: 1, resolved: 1 });
  await eventually(() => deployment.service(zombie).lines.some(({ msg }) => /lost|refused/i.test(msg ?? '')), {
    what: 'the woken executor to log that it lost its work',
  });
  const [instance] = await deployment.instances(runId);
  expect(instance?.history.filter(({ state }) => state === 'COMPLETED').map(({ kind }) => kind)).toEqual([
    'trial',
    'grade',
  ]);
}, 120_000);

test('every service killed in turn during a run and started again: nothing is lost or doubled', async () => {
  deployment = await TestDeployment.start({ suitesDir: scratch.dir, executors: 1, slots: 2 });
  const { runId } = await deployment.submit({ suite: 'many' });
  await running(runId).catch(() => null);
  for (const name of ['executor-1', 'grader', 'coordinator', 'dispatcher', 'publisher']) {
    await deployment.service(name).end('SIGKILL');
    const again = await deployment.add(name);
    await again.ready(60_000);
  }
  const view = await deployment.finished(runId, 180_000);
  expect(view.state).toBe('SUCCEEDED');
  expect(view.counts).toEqual({
    total: 12,
    resolved: 12,
    unresolved: 0,
    executionError: 0,
    infraFailed: 0,
    cancelled: 0,
  });
  const instances = await deployment.instances(runId);
  for (const { history } of instances) {
    expect(history.filter(({ kind, state }) => kind === 'grade' && state === 'COMPLETED')).toHaveLength(1);
  }
}, 240_000);

test('losing the whole NATS store in the middle of a run costs time, never an instance', async () => {
  deployment = await TestDeployment.start({ suitesDir: scratch.dir, executors: 1, slots: 2 });
  const { runId } = await deployment.submit({ suite: 'many' });
  await eventually(async () => (await deployment.run(runId)).counts.resolved >= 2, {
    timeoutMs: 60_000,
    what: 'two verdicts',
  });
  const { nats } = deployment.servers;
  await nats.kill();
  await nats.loseStore();
  await nats.restart();
  const view = await deployment.finished(runId, 180_000);
  expect(view.counts).toMatchObject({ total: 12, resolved: 12 });
}, 240_000);

test('ten executor processes at the same time share a run', async () => {
  deployment = await TestDeployment.start({ suitesDir: scratch.dir, executors: 10, slots: 1, timeScale: 0.1 });
  const { runId } = await deployment.submit({ suite: 'many' });
  const view = await deployment.finished(runId, 180_000);
  expect(view.counts).toMatchObject({ total: 12, resolved: 12 });
  const instances = await deployment.instances(runId);
  const workers = new Set(
    instances.flatMap(({ history }) => history.filter(({ kind }) => kind === 'trial')).map(({ worker }) => worker),
  );
  expect(workers.size).toBeGreaterThanOrEqual(8);
}, 240_000);

test('an executor that is asked to stop gives its work back at once, and the attempt does not count', async () => {
  deployment = await TestDeployment.start({ suitesDir: scratch.dir, executors: 2, slots: 1, timeScale: 0.5 });
  const { runId } = await deployment.submit({ suite: 'slow' });
  const first = executorOf(await running(runId));
  expect(await deployment.service(first).end('SIGTERM')).toBe(0);
  const view = await deployment.finished(runId);
  expect(view.counts.resolved).toBe(1);
  const [instance] = await deployment.instances(runId);
  expect(instance?.attempts).toBe(1);
  expect(instance?.history.map(({ kind, state }) => `${kind} ${state}`)).toEqual([
    'trial RELEASED',
    'trial COMPLETED',
    'grade COMPLETED',
  ]);
}, 120_000);
