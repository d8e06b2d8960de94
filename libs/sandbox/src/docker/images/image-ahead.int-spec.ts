import Docker from 'dockerode';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Digest, Namespace } from '@assay/contracts';
import { describeNeeding, eventually, missingTestImage, removeTestImages, testImage } from '@assay/testing';
import { RegistryStandin } from '../../conformance/registry-standin';
import { writeTree } from '../../conformance/sandbox-harness';
import { removeTree } from '../../remove-tree';
import { removeLeftOvers } from '../left-overs';
import { DockerImages, type DockerImagesOptions } from './docker-images';
import { EngineTurn } from './engine-turn';
import { RegistryPatience } from './registry-patience';

const docker = new Docker();
const namespace = Namespace.parse(`tahead${process.pid.toString(36)}`);
const never = new AbortController().signal;
const MB = 1_048_576;

describeNeeding(missingTestImage(), 'images that are made ready ahead of their trials', () => {
  let registry: RegistryStandin;
  const releases: (() => void)[] = [];
  /** The registry sends no layers until it is released, or the test is over. */
  const hold = (): (() => void) => {
    const release = registry.hold();
    releases.push(release);
    return release;
  };
  beforeAll(async () => {
    registry = await RegistryStandin.start();
  });
  beforeEach(async () => {
    await removeImages();
    registry.asked.length = 0;
    registry.refusing = 0;
  });
  afterEach(() => {
    for (const release of releases.splice(0)) release();
  });
  afterAll(async () => {
    await removeImages();
    await removeTestImages(namespace);
    registry.close();
  });

  async function removeImages(): Promise<void> {
    for (const { Id, RepoTags, RepoDigests } of await docker.listImages()) {
      const names = [...(RepoTags ?? []), ...(RepoDigests ?? [])];
      if (!names.some((name) => name.startsWith(registry.host))) continue;
      await docker.getImage(Id).remove({ force: true });
    }
  }

  const imagesWith = (options: Partial<DockerImagesOptions> = {}): DockerImages =>
    new DockerImages(docker, { namespace, baseImage: testImage(), patience: new RegistryPatience(20), ...options });

  async function remote(name: string, size = 10_000) {
    const digest = await registry.add(`ahead/${name}`, 'v1', size);
    return { kind: 'reference', reference: `${registry.host}/ahead/${name}`, digest } as const;
  }
  const layersAsked = (): number => registry.asked.filter((line) => line.includes('/blobs/')).length;
  const context = (needed: readonly Awaited<ReturnType<typeof remote>>[] | null = []) => ({ needed, signal: never });

  test('are found by the trial, which asks no registry', async () => {
    const [source, images] = [await remote('one'), imagesWith()];
    expect(await images.has(source)).toBe(false);
    expect(await images.makeAhead(source, null, context())).toBe('made');
    expect(await images.has(source)).toBe(true);
    registry.asked.length = 0;
    expect((await images.prepare(source, null, never)).workdir).toBe('/work');
    expect(registry.asked).toEqual([]);
  });

  test('a trial that asks for one meanwhile waits for the same pull', async () => {
    const [source, images] = [await remote('joined'), imagesWith()];
    const release = hold();
    const ahead = images.makeAhead(source, null, context());
    await eventually(() => registry.asked.some((line) => line.includes('/manifests/')));
    const trial = images.prepare(source, null, never);
    release();
    expect(await ahead).toBe('made');
    expect((await trial).imageId).toMatch(/^sha256:/);
    expect(layersAsked()).toBe(2);
  });

  test('one gives way to a trial that waits for another image', async () => {
    const [early, wanted, images] = [await remote('early'), await remote('wanted'), imagesWith()];
    const release = hold();
    const ahead = images.makeAhead(early, null, context());
    await eventually(() => registry.asked.some((line) => line.includes('/manifests/')));
    const trial = images.prepare(wanted, null, never);
    expect(await ahead).toBe('gave_way');
    release();
    expect((await trial).workdir).toBe('/work');
    expect(await images.has(early)).toBe(false);
  });

  test('none is begun while a trial waits for an image, nor by two workers of one engine at the same time', async () => {
    const [one, two, three] = [await remote('t1'), await remote('t2'), await remote('t3')];
    const [here, there] = [imagesWith(), imagesWith()];
    const release = hold();
    const trial = here.prepare(one, null, never);
    await eventually(() => registry.asked.some((line) => line.includes('/t1/manifests/')));
    expect(await here.makeAhead(two, null, context())).toBe('busy');
    const ahead = there.makeAhead(two, null, context());
    await eventually(() => registry.asked.some((line) => line.includes('/t2/manifests/')));
    expect(await there.makeAhead(three, null, context())).toBe('busy');
    expect(await imagesWith().makeAhead(three, null, context())).toBe('busy');
    release();
    await trial;
    expect(await ahead).toBe('made');
    expect(await imagesWith().makeAhead(three, null, context())).toBe('made');
  });

  test('a registry that says "too many" is asked once, and then not before its time; a trial that joined has its patience', async () => {
    const [source, other] = [await remote('busy'), await remote('other')];
    const patience = new RegistryPatience(60_000);
    const images = imagesWith({ patience });
    registry.refusing = 1;
    await expect(images.makeAhead(source, null, context())).rejects.toMatchObject({
      code: 'image_unavailable',
      details: { rateLimited: true },
    });
    expect(registry.refusing).toBe(0);
    const asked = registry.asked.length;
    expect(await images.makeAhead(other, null, context())).toBe('paused');
    expect(registry.asked).toHaveLength(asked);

    const patient = imagesWith();
    registry.refusing = 1;
    const ahead = patient.makeAhead(source, null, context()).catch((error: unknown) => error);
    await eventually(() => registry.refusing === 0);
    expect((await patient.prepare(source, null, never)).workdir).toBe('/work');
    await ahead;
  });

  test('a mirror that says "too many" is not gone around', async () => {
    const digest = await registry.add('hub/team/crowded', 'v1');
    const images = imagesWith({ registryMirror: `${registry.host}/hub` });
    registry.refusing = 1;
    const source = { kind: 'reference', reference: 'team/crowded', digest } as const;
    await expect(images.makeAhead(source, null, context())).rejects.toMatchObject({ details: { rateLimited: true } });
    expect(await images.has(source)).toBe(false);
    expect(registry.asked.every((line) => line.startsWith('429 hub/team/crowded/'))).toBe(true);
  });

  describe('within a budget', () => {
    const budgeted = (imageBudgetMb: number): DockerImages => imagesWith({ imageBudgetMb, imageRestMs: 0 });

    test('what no open run needs goes for one, what is needed does not, and then there is no room', async () => {
      const images = budgeted(7);
      const [done, needed, next, last] = [
        await remote('done', 3 * MB),
        await remote('needed', 3 * MB),
        await remote('next', 3 * MB),
        await remote('last', 3 * MB),
      ];
      await images.prepare(done, null, never);
      await images.prepare(needed, null, never);
      expect(await images.makeAhead(next, null, context([done, needed, next]))).toBe('no_room');
      expect(await images.makeAhead(next, null, context([needed, next]))).toBe('made');
      expect(await Promise.all([done, needed, next].map((source) => images.has(source)))).toEqual([false, true, true]);
      expect(await images.makeAhead(last, null, context([needed, next, last]))).toBe('no_room');
      expect(await images.has(needed)).toBe(true);
    });

    test('where nobody can say what is needed, nothing goes for one', async () => {
      const images = imagesWith({ imageBudgetMb: 5 });
      const [here, next] = [await remote('here', 3 * MB), await remote('more', 3 * MB)];
      await images.prepare(here, null, never);
      expect(await images.makeAhead(next, null, context(null))).toBe('no_room');
      expect(await images.has(here)).toBe(true);
    });
  });

  test('a build is made ahead as a pull is, and the trial that joins it builds nothing of its own', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'assay-ahead-'));
    try {
      await writeTree(dir, {
        Dockerfile: `ARG BASE_IMAGE=x\nFROM \${BASE_IMAGE}\nRUN sleep 2 && date +%N > /${namespace}\n`,
      });
      const source = { kind: 'build', contextDigest: Digest.parse('e'.repeat(64)) } as const;
      const images = imagesWith();
      expect(await images.has(source)).toBe(false);
      const [outcome, image] = await Promise.all([
        images.makeAhead(source, dir, context()),
        eventually(async () =>
          (await docker.listContainers()).some(({ Command }) => Command.includes(`> /${namespace}`)),
        ).then(() => images.prepare(source, dir, never)),
      ]);
      expect(outcome).toBe('made');
      expect(await images.has(source)).toBe(true);
      expect((await images.prepare(source, dir, never)).imageId).toBe(image.imageId);
    } finally {
      await removeTree(dir);
    }
  });

  test('the turn of a worker that was killed is taken away after its time, and not before', async () => {
    const turn = new EngineTurn(docker, namespace);
    expect(await turn.take(60_000)).not.toBeNull();
    expect(await removeLeftOvers(docker, namespace, () => false)).toBe(0);
    expect(await turn.take(60_000)).toBeNull();
    await docker.getContainer(`${namespace}-ahead`).remove();
    expect(await turn.take(1)).not.toBeNull();
    await eventually(async () => (await removeLeftOvers(docker, namespace, () => false)) === 1);
    const end = await turn.take(60_000);
    await end?.();
    expect(end).not.toBeNull();
  });
});
