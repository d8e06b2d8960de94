import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Manifest } from '@assay/contracts';
import { eventually, writeTask } from '@assay/testing';
import {
  call,
  clearedAway,
  reached,
  runOf,
  startDispatcher,
  submit,
  surroundings,
  type Surroundings,
} from '../harness/test-dispatcher';
import { TestRegistry } from '../harness/registry-standin';

let around: Surroundings;
let registry: TestRegistry;

beforeEach(async () => {
  [around, registry] = await Promise.all([surroundings(), TestRegistry.start()]);
});
afterEach(async () => {
  await registry.stop();
  await clearedAway(around);
});

/** A dispatcher whose one suite has these tasks, each with an image of the registry under its own name. */
async function dispatcherWith(tasks: readonly string[], env: NodeJS.ProcessEnv = {}, more = '') {
  const data = join(around.dir, 'data');
  for (const task of tasks) {
    const toml = `[environment]\ndocker_image = "${registry.host}/images/${task}:1"\n`;
    await writeTask(join(data, 'tasks', task), { 'task.toml': toml });
  }
  const suites = join(around.dir, 'suites');
  await mkdir(suites);
  await writeFile(
    join(suites, 'named.yaml'),
    'schema: assay.suite/1\nname: named\ntitle: Named\ndataset: { name: d, revision: r }\n' +
      'source: { kind: harbor, path: "${ASSAY_DATA_DIR}/tasks" }\npublish: none\nerrorThreshold: 1\n' +
      `agent: { name: nop }\n${more}`,
  );
  return startDispatcher(around, {
    ASSAY_SUITES_DIR: suites,
    ASSAY_DATA_DIR: data,
    ASSAY_DEFAULT_SANDBOX: 'docker',
    ...env,
  });
}

async function manifestOf(runId: string): Promise<Manifest> {
  const [row] = await around.database.query<{ manifest: unknown }>('select manifest from runs where id = $1', [runId]);
  return Manifest.parse(row?.manifest);
}

test('a run is queued with the digest of every image in its manifest', async () => {
  const digest = registry.has('images/a:1', 'images/b:1');
  const service = await dispatcherWith(['a', 'b']);
  const { runId } = await submit(service, { suite: 'named' });
  await reached(service, runId, 'QUEUED');
  const { instances } = await manifestOf(runId);
  expect(instances.map(({ image }) => image.kind === 'reference' && image.digest?.slice(-1))).toEqual(['1', '2']);
  expect(instances[0]?.image).toEqual({ kind: 'reference', reference: `${registry.host}/images/a:1`, digest });
});

test('a run whose images are not there fails before anything is started, with the ids', async () => {
  registry.has('images/a:1');
  const service = await dispatcherWith(['a', 'b', 'c']);
  const { runId } = await submit(service, { suite: 'named' });
  const failed = await reached(service, runId, 'FAILED');
  expect(failed.lastError).toMatch(/^2 of 3 instances have no image: b \(.* has no images\/b:1\), c \(/);
  expect(failed.counts.total).toBe(0);
});

test('a run waits while the registry is out of order, says what it answered, and goes on by itself', async () => {
  registry.has('images/a:1');
  registry.reply = (_request, response) => {
    response.writeHead(503).end();
  };
  const service = await dispatcherWith(['a']);
  const { runId } = await submit(service, { suite: 'named' });
  await eventually(async () => (await runOf(service, runId)).lastError !== null, { what: 'the first look' });
  const waiting = await runOf(service, runId);
  expect(waiting.state).toBe('WAITING');
  expect(waiting.lastError).toContain(`http://${registry.host} answered 503 (0 of 1 are known)`);
  registry.reply = null;
  await reached(service, runId, 'QUEUED');
});

test('where no registry may be asked, a suite says so itself, or its runs are refused', async () => {
  const service = await dispatcherWith(['a'], { ASSAY_REGISTRY_ACCESS: 'off' });
  const { runId } = await submit(service, { suite: 'named' });
  expect((await reached(service, runId, 'FAILED')).lastError).toContain('ASSAY_REGISTRY_ACCESS');
  const suite = join(around.dir, 'suites/named.yaml');
  await writeFile(suite, 'unpinned: allow\n', { flag: 'a' });
  await reached(service, (await submit(service, { suite: 'named' })).runId, 'QUEUED');
  expect(registry.asked).toEqual([]);
});

test('a suite whose data is not there is refused with the file and the setting', async () => {
  const service = await dispatcherWith(['a'], { ASSAY_DATA_DIR: join(around.dir, 'elsewhere') });
  const { body } = await call(service, 'GET', '/v1/suites/named/instances');
  expect(JSON.stringify(body)).toContain(join(around.dir, 'elsewhere/tasks'));
});
