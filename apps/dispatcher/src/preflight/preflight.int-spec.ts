import { aManifest } from '@assay/testing';
import type { Manifest } from '@assay/contracts';
import { TestRegistry } from '../harness/registry-standin';
import { HttpImageRegistry } from './http-image-registry.client';
import { ImagePinning, type PinningOptions } from './image-pinning';
import { Preflight } from './preflight';

const never = new AbortController().signal;
const REFUSE = { unpinned: 'refuse' } as const;
const AGENTS = [{ name: 'qwen-code', version: '1.0.0', integrity: null, packaged: true }];
let registry: TestRegistry;

beforeEach(async () => {
  registry = await TestRegistry.start();
});
afterEach(() => registry.stop());

const ids = (count: number) => Array.from({ length: count }, (_, at) => `i-${String(at).padStart(3, '0')}`);

/** A manifest whose instances name images of the registry that are called as they are. */
function named(instances: readonly string[]): Manifest {
  const manifest = aManifest({ instances });
  return {
    ...manifest,
    instances: manifest.instances.map((instance) => ({
      ...instance,
      image: { kind: 'reference', reference: `${registry.host}/images/${instance.id}:1` },
    })),
  };
}

const preflight = (options?: PinningOptions) =>
  new Preflight(new ImagePinning(new HttpImageRegistry({ mirror: null, timeoutMs: 2_000 }), options), AGENTS);
const offline = new Preflight(new ImagePinning(null), AGENTS);

test('every image gets the digest that its registry names; what has one or is built stays as it is', async () => {
  const digest = registry.has('images/a:1');
  const manifest = named(['a', 'b', 'c']);
  const own = { kind: 'reference', reference: 'x:1', digest: `sha256:${'f'.repeat(64)}` } as const;
  const built = aManifest().instances[0]!.image;
  const [a, b, c] = manifest.instances;
  const instances = [a!, { ...b!, image: own }, { ...c!, image: built }];
  const passed = await preflight().passed({ ...manifest, instances }, REFUSE, never);
  expect(passed.instances.map(({ image }) => image)).toEqual([{ ...a!.image, digest }, own, built]);
  expect(registry.asked).toHaveLength(1);
});

test('images that are not there refuse the run: all are counted, the first are named with the reason', async () => {
  const all = ids(40);
  registry.has(...all.slice(0, 10).map((id) => `images/${id}:1`));
  const passing = preflight().passed(named(all), REFUSE, never);
  await expect(passing).rejects.toMatchObject({
    code: 'images_unpinned',
    blame: 'task',
    details: { count: 30, instances: all.slice(10) },
  });
  await expect(passing).rejects.toThrow(
    `30 of 40 instances have no image: i-010 (http://${registry.host} has no images/i-010:1), i-011 (`,
  );
  await expect(passing).rejects.toThrow(/and 10 more$/);
});

test('500 images are asked for in bounded time, and never more than 16 at once', async () => {
  const all = ids(500);
  registry.has(...all.map((id) => `images/${id}:1`));
  registry.wantsToken = true;
  registry.delayMs = 5;
  const passed = await preflight().passed(named(all), REFUSE, never);
  const digests = passed.instances.map(({ image }) => (image.kind === 'reference' ? image.digest : null));
  expect(new Set(digests).size).toBe(500);
  expect(registry.mostOpen).toBeGreaterThan(8);
  expect(registry.mostOpen).toBeLessThanOrEqual(16);
});

test('a registry that is out of order is our fault, with what it answered and when to come back', async () => {
  registry.reply = (_request, response) => {
    response.writeHead(429, { 'retry-after': '77' }).end();
  };
  await expect(preflight().passed(named(['a', 'b']), REFUSE, never)).rejects.toMatchObject({
    code: 'registry_unreachable',
    blame: 'infra',
    message: `the images of the run cannot be looked up: http://${registry.host} answered 429 (0 of 2 are known)`,
    details: { retryAfterSeconds: 77 },
  });
});

test('the next look goes on where the last one ended', async () => {
  const all = ids(60);
  registry.has(...all.map((id) => `images/${id}:1`));
  const checks = preflight();
  let left = 40;
  registry.reply = (request, response) => {
    left -= 1;
    if (left >= 0) registry.usual(request, response);
    else response.writeHead(503).end();
  };
  await expect(checks.passed(named(all), REFUSE, never)).rejects.toThrow(/answered 503 \(\d+ of 60 are known\)/);
  registry.reply = null;
  const before = registry.asked.length;
  await checks.passed(named(all), REFUSE, never);
  expect(registry.asked.length - before).toBeLessThanOrEqual(60 - 24);
});

test('what a registry said a quarter of an hour ago is asked again', async () => {
  let now = 0;
  registry.has('images/a:1');
  const checks = preflight({ now: () => now });
  for (const minutes of [0, 14, 16]) {
    now = minutes * 60_000;
    await checks.passed(named(['a']), REFUSE, never);
  }
  expect(registry.asked).toHaveLength(2);
});

test('a look has an end, however slow the registry is', async () => {
  registry.delayMs = 300;
  await expect(preflight({ lookMs: 100 }).passed(named(['a']), REFUSE, never)).rejects.toMatchObject({
    code: 'registry_unreachable',
    message: 'the images of the run cannot be looked up: the time for one look is over (0 of 1 are known)',
  });
});

test('a stopping dispatcher stops asking', async () => {
  registry.delayMs = 5_000;
  const abort = new AbortController();
  const passing = preflight().passed(named(['a']), REFUSE, abort.signal);
  abort.abort(new Error('stopping'));
  await expect(passing).rejects.toThrow('stopping');
});

test('a deployment that asks no registry refuses names without a digest, and says which setting it is', async () => {
  await expect(offline.passed(named(['a', 'b']), REFUSE, never)).rejects.toMatchObject({
    code: 'images_unpinned',
    message: expect.stringMatching(
      /^2 of 2 instances name images without a digest, and this deployment asks no registry \(ASSAY_REGISTRY_ACCESS\): a \(/,
    ) as string,
  });
  expect(registry.asked).toEqual([]);
});

test('a suite that allows names without a digest is not asked for', async () => {
  const manifest = named(['a']);
  expect(await offline.passed(manifest, { unpinned: 'allow' }, never)).toEqual(manifest);
});

test('an agent whose package has no integrity is refused; one that is part of the build needs none', async () => {
  const manifest = aManifest();
  const agent = { name: 'qwen-code', version: '1.2.0', integrity: null, options: {} };
  await expect(offline.passed({ ...manifest, agent }, REFUSE, never)).rejects.toMatchObject({
    code: 'agent_unpinned',
    blame: 'task',
    message: 'the package of qwen-code 1.2.0 has no integrity',
  });
  const frozen = { ...manifest, agent: { ...agent, integrity: 'sha512-x' } };
  expect(await offline.passed(frozen, REFUSE, never)).toEqual(frozen);
  expect(await offline.passed(manifest, REFUSE, never)).toEqual(manifest);
});
