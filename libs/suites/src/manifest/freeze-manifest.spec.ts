import { type ArtifactRef, BuildDigest, type Digest, type InstanceId, Manifest, SubmitRequest } from '@assay/contracts';
import { withTempDir, writeTask } from '@assay/testing';
import { createHash } from 'node:crypto';
import { cp, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unpackTask } from '../bundles/unpack-task';
import { loadSuite } from '../suite/load-suite';
import { type BundleStore, freezeManifest, type FreezeRequest, manifestDigest } from './freeze-manifest';

/** A store that keeps blobs by digest, as the real one does. */
class MemoryStore implements BundleStore {
  readonly blobs = new Map<string, Buffer>();

  put(name: string, mediaType: string, content: Buffer): Promise<ArtifactRef> {
    const digest = createHash('sha256').update(content).digest('hex') as Digest;
    this.blobs.set(digest, content);
    return Promise.resolve({ name, digest, size: content.length, mediaType });
  }
}

const request = (change: Record<string, unknown> = {}) =>
  SubmitRequest.parse({
    suite: 'suite',
    evaluated: { ref: 'v1.2.3' },
    release: { repository: 'example/agent', id: 1, tag: 'v1.2.3' },
    model: 'a-model',
    trigger: 'manual',
    ...change,
  });

const EVALUATED = { ref: 'v1.2.3', commit: 'c'.repeat(40), packageVersion: '1.2.3' };

const AGENTS = [
  { name: 'nop', version: '1', integrity: null },
  { name: 'mini', version: '2', integrity: null },
];

async function suiteAt(dir: string, more = '', tasks = ['c', 'a', 'b']): Promise<string> {
  for (const task of tasks) await writeTask(join(dir, 'tasks', task));
  await writeFile(
    join(dir, 'suite.yaml'),
    `schema: assay.suite/1\nname: suite\ntitle: Demo\ndataset: {name: d, revision: r}\nsource: {kind: harbor, path: tasks}\n` +
      `errorThreshold: 1\nagent: {name: mini, options: {temperature: 0}}\nretry: {backoffSeconds: 2}\n${more || 'publish: counts\n'}`,
  );
  return join(dir, 'suite.yaml');
}

async function freeze(file: string, change: Partial<FreezeRequest> = {}): Promise<Manifest> {
  return freezeManifest({
    suite: await loadSuite(file),
    request: request(),
    evaluated: EVALUATED,
    store: new MemoryStore(),
    agents: AGENTS,
    sandbox: 'docker',
    buildDigest: null,
    ...change,
  });
}

const withSuite = (work: (file: string, dir: string) => Promise<void>, more?: string, tasks?: string[]) =>
  withTempDir(async (dir) => {
    await work(await suiteAt(dir, more, tasks), dir);
  });

test('a manifest holds what the run is measured with', () =>
  withSuite(async (file) => {
    const buildDigest = BuildDigest.parse('e'.repeat(64));
    const manifest = await freeze(file, { buildDigest });
    expect(manifest).toMatchObject({
      schemaVersion: 'assay.manifest/1',
      suite: {
        name: 'suite',
        kind: 'benchmark',
        publish: 'counts',
        publishTrajectories: false,
        publishPatches: false,
        chain: [],
        abortAfterInfraFailures: 0,
        errorThreshold: 1,
        title: 'Demo',
      },
      dataset: { name: 'd', revision: 'r' },
      history: 'cut',
      sandbox: 'docker',
      agent: { name: 'mini', version: '2', integrity: null, options: { temperature: 0 } },
      model: { name: 'a-model' },
      retry: { maxAttempts: 4, backoffSeconds: 2 },
      grader: { version: 'assay-harbor/1', network: 'none' },
      evaluated: EVALUATED,
      buildDigest,
    });
    expect(manifest.instances.map(({ id, source, image }) => [id, source, image.kind])).toEqual([
      ['a', 'harbor', 'build'],
      ['b', 'harbor', 'build'],
      ['c', 'harbor', 'build'],
    ]);
    expect(Manifest.parse(JSON.parse(JSON.stringify(manifest)))).toEqual(manifest);
  }));

test('frozen twice, from two copies of the folder, it has the same digest', () =>
  withSuite(async (file, dir) => {
    const first = await freeze(file);
    await cp(dir, `${dir}-copy`, { recursive: true });
    const second = await freeze(join(`${dir}-copy`, 'suite.yaml'));
    await rename(`${dir}-copy`, join(dir, 'copy'));
    expect(manifestDigest(second)).toBe(manifestDigest(first));
    expect(manifestDigest(first)).toMatch(/^[0-9a-f]{64}$/);
  }));

test('a digest survives the way through JSON in any order of keys', () =>
  withSuite(async (file) => {
    const manifest = await freeze(file);
    const turned = Object.fromEntries(Object.entries(manifest).reverse()) as Manifest;
    expect(manifestDigest(turned)).toBe(manifestDigest(manifest));
  }));

test('a changed task, suite, request or build changes the digest', () =>
  withSuite(async (file, dir) => {
    const digests = [await freeze(file)];
    digests.push(await freeze(file, { request: request({ model: 'other' }) }));
    digests.push(await freeze(file, { request: request({ maxAttempts: 3 }) }));
    digests.push(await freeze(file, { buildDigest: BuildDigest.parse('f'.repeat(64)) }));
    await writeTask(join(dir, 'tasks/a'), { 'tests/test.sh': 'changed\n' });
    digests.push(await freeze(file));
    await writeFile(file, '# a comment\n', { flag: 'a' });
    digests.push(await freeze(file));
    expect(new Set(digests.map(manifestDigest)).size).toBe(digests.length);
  }));

test('every bundle is in the store and unpacks to the task', () =>
  withSuite(async (file, dir) => {
    const store = new MemoryStore();
    const manifest = await freeze(file, { store });
    for (const { id, bundle, image } of manifest.instances) {
      const content = store.blobs.get(bundle.digest);
      expect(content?.length).toBe(bundle.size);
      const { task } = await unpackTask(content!, join(dir, 'out', id));
      expect(task.id).toBe(id);
      expect(image).toEqual({ kind: 'build', contextDigest: expect.stringMatching(/^[0-9a-f]{64}$/) as string });
    }
  }));

test("a request's agent, attempts and back-off go before the suite's; the suite's options stay with its agent", () =>
  withSuite(async (file) => {
    const manifest = await freeze(file, { request: request({ agent: 'nop', maxAttempts: 1, backoffSeconds: 0 }) });
    expect(manifest.agent).toEqual({ name: 'nop', version: '1', integrity: null, options: {} });
    expect(manifest.retry).toEqual({ maxAttempts: 1, backoffSeconds: 0 });
  }));

test('limit k is the first k, and an instance may be asked for by its id', () =>
  withSuite(async (file) => {
    const ids = async (change: Record<string, unknown>) =>
      (await freeze(file, { request: request(change) })).instances.map(({ id }) => String(id));
    expect(await ids({ limit: 2 })).toEqual(['a', 'b']);
    expect(await ids({ instanceId: 'c' })).toEqual(['c']);
    expect(await ids({ instanceId: 'c', limit: 1 })).toEqual(['c']);
  }));

test.each([
  [{ limit: 4 }, 'limit_too_large', 'Requested 4 instances, found 3'],
  [{ instanceId: 'ghost' }, 'instance_unknown', 'Unknown Demo instance: ghost'],
  [{ agent: 'ghost' }, 'agent_unknown', 'Unknown agent: ghost (known: nop, mini)'],
])('%j is refused, and nothing is stored', (change, code, message) =>
  withSuite(async (file) => {
    const store = new MemoryStore();
    await expect(freeze(file, { store, request: request(change) })).rejects.toMatchObject({
      code,
      message,
      blame: 'task',
      phase: 'dispatch',
    });
    expect(store.blobs.size).toBe(0);
  }),
);

test('a suite that publishes a score needs its whole benchmark at hand', () =>
  withSuite(
    (file) => expect(freeze(file)).rejects.toThrow('Expected exactly 4 Demo instances, found 3'),
    'publish: score\nbenchmarkSize: 4\n',
  ));

test.each([
  ['none', '', 'Expected exactly 4 Demo instances, found 3'],
  ['counts', '', 'Expected exactly 4 Demo instances, found 3'],
  ['counts', 'part', null],
])('one that publishes %s needs it as well, unless it names a part (%s)', (publish, part, message) =>
  withSuite(async (file) => {
    if (part !== '') {
      const text = await readFile(file, 'utf8');
      await writeFile(file, text.replace('path: tasks', "path: tasks, tasks: ['a', 'b', 'c']"));
    }
    const freezing = freeze(file);
    if (message === null) expect((await freezing).instances).toHaveLength(3);
    else await expect(freezing).rejects.toThrow(message);
  }, `publish: ${publish}\nbenchmarkSize: 4\n`),
);

test('a part of a whole benchmark can be frozen', () =>
  withSuite(async (file) => {
    const manifest = await freeze(file, { request: request({ limit: 1 }) });
    expect(manifest.suite.benchmarkSize).toBe(3);
    expect(manifest.instances).toHaveLength(1);
  }, 'publish: score\nbenchmarkSize: 3\n'));

test('a score is not measured in the process sandbox, even where that is the choice of the deployment', () =>
  withSuite(
    (file) => expect(freeze(file, { sandbox: 'process' })).rejects.toMatchObject({ code: 'sandbox_unfit' }),
    'publish: score\nbenchmarkSize: 3\nsandbox: any\n',
  ));

test.each([
  ['any', 'process', 'process'],
  ['any', 'docker', 'docker'],
  ['docker', 'process', 'docker'],
  ['process', 'docker', 'process'],
] as const)('sandbox %s in a deployment of %s is %s', (wanted, deployment, expected) =>
  withSuite(async (file) => {
    expect((await freeze(file, { sandbox: deployment })).sandbox).toBe(expected);
  }, `publish: counts\nsandbox: ${wanted}\n`),
);

test('a named image is not for the process sandbox', () =>
  withSuite(async (file, dir) => {
    await writeTask(join(dir, 'tasks/b'), { 'task.toml': '[environment]\ndocker_image = "x:1"\n' });
    await expect(freeze(file, { sandbox: 'process' })).rejects.toThrow('b names the image x:1');
    expect((await freeze(file)).instances[1]?.image).toEqual({ kind: 'reference', reference: 'x:1' });
  }, 'publish: none\nsandbox: any\n'));

test('what has no effect is handed to who wants to know', () =>
  withSuite(async (file, dir) => {
    await writeTask(join(dir, 'tasks/b'), { 'task.toml': 'colour = "red"\n' });
    const warnings: string[] = [];
    await freeze(file, { onWarning: (warning) => warnings.push(warning) });
    expect(warnings).toEqual(['colour: unknown key, it has no effect (b)']);
  }));

test('a store that fails is not covered up', () =>
  withSuite(async (file) => {
    const store = { put: () => Promise.reject(new Error('disk full')) };
    await expect(freeze(file, { store })).rejects.toThrow('disk full');
  }));

describe('with predictions', () => {
  const patch = { name: 'patch', digest: 'e'.repeat(64), size: 3, mediaType: 'text/x-diff' };
  const set = (ids: string[]) => ({
    digest: 'd'.repeat(64) as Digest,
    of: new Map(
      ids.map((id) => [id as InstanceId, { model: 'm', patch: patch as ArtifactRef, trajectory: null }] as const),
    ),
  });

  test('those instances are frozen that have one, with it; the set stands for the agent; nothing is published', () =>
    withSuite(async (file) => {
      const manifest = await freeze(file, { predictions: set(['c', 'a']) });
      expect(manifest.instances.map(({ id, prediction }) => [id, prediction])).toEqual([
        ['a', { model: 'm', patch, trajectory: null }],
        ['c', { model: 'm', patch, trajectory: null }],
      ]);
      expect(manifest.agent).toEqual({
        name: 'predictions',
        version: '1',
        integrity: `sha256-${'d'.repeat(64)}`,
        options: {},
      });
      expect(manifest.suite.publish).toBe('none');
    }));

  test('an id that the suite does not have is refused by its name', () =>
    withSuite(async (file) => {
      await expect(freeze(file, { predictions: set(['a', 'z']) })).rejects.toMatchObject({
        code: 'prediction_unknown',
        message: 'Unknown Demo instances: z',
      });
    }));

  test('a set without any is refused', () =>
    withSuite(async (file) => {
      await expect(freeze(file, { predictions: set([]) })).rejects.toMatchObject({ code: 'predictions_empty' });
    }));
});

describe('an agent that is a package', () => {
  const packaged = [{ name: 'mini', version: '2', integrity: null, packaged: true }];

  test('is frozen in the version that the suite names, with the integrity that its registry tells', () =>
    withSuite(async (file) => {
      const asked: string[] = [];
      const integrityOf = (name: string, version: string) => {
        asked.push(`${name}@${version}`);
        return Promise.resolve('sha512-x');
      };
      const { agent } = await freeze(file, { agents: packaged, integrityOf });
      expect(agent).toEqual({ name: 'mini', version: '2', integrity: 'sha512-x', options: { temperature: 0 } });
      expect(asked).toEqual(['mini@2']);
    }));

  test('whose registry does not answer leaves the run unfrozen', () =>
    withSuite(async (file) => {
      const integrityOf = () => Promise.reject(new Error('no answer'));
      await expect(freeze(file, { agents: packaged, integrityOf })).rejects.toThrow('no answer');
    }));
});
