import Docker from 'dockerode';
import { Namespace } from '@assay/contracts';
import { describeNeeding, missingTestImage, testImage } from '@assay/testing';
import { RegistryStandin } from '../../conformance/registry-standin';
import { DockerImages, type DockerImagesOptions } from './docker-images';
import { RegistryPatience } from './registry-patience';

const docker = new Docker();
const namespace = Namespace.parse(`tpull${process.pid.toString(36)}`);
const never = new AbortController().signal;

describeNeeding(missingTestImage(), 'pulling images', () => {
  let registry: RegistryStandin;
  beforeAll(async () => {
    registry = await RegistryStandin.start();
  });
  afterAll(async () => {
    await removeImages();
    registry.close();
  });
  beforeEach(() => {
    registry.asked.length = 0;
  });

  /** Every image of the stand-in and every name of this test. */
  async function removeImages(): Promise<void> {
    for (const { Id, RepoTags, RepoDigests } of await docker.listImages()) {
      const names = [...(RepoTags ?? []), ...(RepoDigests ?? [])];
      if (!names.some((name) => name.startsWith(registry.host) || name.startsWith(namespace))) continue;
      await docker.getImage(Id).remove({ force: true });
    }
  }

  const imagesWith = (options: Partial<DockerImagesOptions> = {}): DockerImages =>
    new DockerImages(docker, { namespace, baseImage: testImage(), patience: new RegistryPatience(20), ...options });
  const manifestsAsked = (): string[] => registry.asked.filter((line) => line.includes('/manifests/'));

  test('a frozen digest is asked for by its digest, whatever the tag stands for now, and only once', async () => {
    const digest = await registry.add('team/frozen', 'v1');
    await registry.add('team/frozen', 'v1');
    const source = { kind: 'reference', reference: `${registry.host}/team/frozen:v1`, digest } as const;
    const images = imagesWith();
    const [one, two] = await Promise.all([images.prepare(source, null, never), images.prepare(source, null, never)]);
    const later = await imagesWith().prepare(source, null, never);
    expect([two, later]).toEqual([one, one]);
    expect(one.workdir).toBe('/work');
    expect(manifestsAsked().every((line) => line === `200 team/frozen/manifests/${digest}`)).toBe(true);
    const { RepoDigests } = await docker.getImage(one.imageId).inspect();
    expect(RepoDigests).toEqual([`${registry.host}/team/frozen@${digest}`]);
  });

  test('a mirror is asked first for what is on Docker Hub', async () => {
    const digest = await registry.add('hub/team/mirrored', 'latest');
    const source = { kind: 'reference', reference: 'team/mirrored:latest', digest } as const;
    const images = imagesWith({ registryMirror: `${registry.host}/hub` });
    const image = await images.prepare(source, null, never);
    expect(image.workdir).toBe('/work');
    registry.asked.length = 0;
    expect(await imagesWith({ registryMirror: `${registry.host}/hub` }).prepare(source, null, never)).toEqual(image);
    expect(registry.asked).toEqual([]);
  });

  test('what the mirror does not have is asked for where it is; an own registry is never asked for at the mirror', async () => {
    const digest = await registry.add('own/image', 'v1');
    const images = imagesWith({ registryMirror: `${registry.host}/hub` });
    await images.prepare({ kind: 'reference', reference: `${registry.host}/own/image`, digest }, null, never);
    expect(registry.asked.some((line) => line.includes('hub/'))).toBe(false);
    const nowhere = { kind: 'reference', reference: 'assay-test.invalid/none:1' } as const;
    await expect(images.prepare(nowhere, null, never)).rejects.toMatchObject({ code: 'image_unavailable' });
  });

  test('a registry that says "too many" is asked again, later', async () => {
    const digest = await registry.add('team/busy', 'v1');
    registry.refusing = 2;
    const source = { kind: 'reference', reference: `${registry.host}/team/busy`, digest } as const;
    expect((await imagesWith().prepare(source, null, never)).workdir).toBe('/work');
    expect(registry.refusing).toBe(0);
  });

  test('one that goes on saying so is our fault, and is left alone by everybody for a while', async () => {
    const digest = await registry.add('team/closed', 'v1');
    registry.refusing = 1_000;
    const patience = new RegistryPatience(20);
    const images = imagesWith({ patience });
    const source = { kind: 'reference', reference: `${registry.host}/team/closed`, digest } as const;
    const asking = images.prepare(source, null, never);
    await expect(asking).rejects.toMatchObject({
      blame: 'infra',
      code: 'image_unavailable',
      details: { rateLimited: true },
    });
    expect(patience.left(registry.host)).toBeGreaterThan(0);
    const asked = registry.asked.length;
    const other = { ...source, reference: `${registry.host}/team/other` };
    const abort = new AbortController();
    const waiting = images.prepare(other, null, abort.signal);
    abort.abort(new Error('called off'));
    await expect(waiting).rejects.toThrow('called off');
    expect(registry.asked).toHaveLength(asked);
    registry.refusing = 0;
  });

  test('content that is not what it was frozen as is not taken', async () => {
    const digest = await registry.add('team/true', 'v1');
    const wrong = digest.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    registry.alias('team/true', wrong);
    const source = { kind: 'reference', reference: `${registry.host}/team/true`, digest: wrong } as const;
    await expect(imagesWith().prepare(source, null, never)).rejects.toMatchObject({ code: 'image_unavailable' });
  });

  describe('within a budget', () => {
    const MB = 1_048_576;
    const budgeted = (imageBudgetMb: number): DockerImages => imagesWith({ imageBudgetMb, imageRestMs: 0 });
    const there = async (id: string): Promise<boolean> =>
      docker
        .getImage(id)
        .inspect()
        .then(
          () => true,
          () => false,
        );

    async function pulled(images: DockerImages, name: string) {
      const digest = await registry.add(`budget/${name}`, 'v1', 3 * MB);
      const source = { kind: 'reference', reference: `${registry.host}/budget/${name}`, digest } as const;
      return { source, id: (await images.prepare(source, null, never)).imageId };
    }

    beforeEach(removeImages);

    test('the least recently used go, and nothing while there is room', async () => {
      const images = budgeted(7);
      const [a, b] = [await pulled(images, 'a'), await pulled(images, 'b')];
      expect(await images.tidy([])).toBe(0);
      const c = await pulled(images, 'c');
      // Another executor uses the oldest again.
      await budgeted(7).prepare(a.source, null, never);
      expect(await images.tidy([])).toBe(1);
      expect(await Promise.all([a, b, c].map(({ id }) => there(id)))).toEqual([true, false, true]);
      expect(await images.tidy([])).toBe(0);
      // It is had again when it is wanted again.
      expect((await images.prepare(b.source, null, never)).imageId).toBe(b.id);
    });

    test('what an open run wants, a container has, or a person named too stays', async () => {
      const images = budgeted(1);
      const [wanted, used, named] = [await pulled(images, 'w'), await pulled(images, 'u'), await pulled(images, 'n')];
      const container = await docker.createContainer({ Image: used.id, Cmd: ['x'] });
      await docker.getImage(named.id).tag({ repo: `${namespace}-mine`, tag: '1' });
      try {
        expect(await images.tidy([wanted.source])).toBe(0);
        expect(await Promise.all([wanted, used, named].map(({ id }) => there(id)))).toEqual([true, true, true]);
        expect(await images.tidy([])).toBe(1);
        expect(await there(wanted.id)).toBe(false);
      } finally {
        await container.remove();
      }
    });

    test('what must stay and outgrows the budget is told once, until there is room again', async () => {
      const told: object[] = [];
      const warn = (fields: object): void => {
        told.push(fields);
      };
      const logger = { debug: () => undefined, info: () => undefined, warn };
      const images = imagesWith({ imageBudgetMb: 2, imageRestMs: 0, logger });
      const { source } = await pulled(images, 'large');
      await images.tidy([source]);
      await images.tidy([source]);
      expect(told).toEqual([{ megabytes: 3, budgetMb: 2 }]);
      await images.tidy([]);
      await pulled(images, 'larger').then((large) => images.tidy([large.source]));
      expect(told).toHaveLength(2);
    });

    test('an image that was here before us is found, and never taken away', async () => {
      const digest = await registry.add('budget/before', 'v1', 3 * MB);
      const by = `${registry.host}/budget/before`;
      await new Promise((resolve, reject) => {
        void docker.pull(`${by}:v1`).then((stream) => {
          docker.modem.followProgress(stream, (error) => {
            if (error === null) resolve(undefined);
            else reject(error);
          });
        });
      });
      registry.alias('hub/budget/before', digest);
      const images = imagesWith({ imageBudgetMb: 1, imageRestMs: 0, registryMirror: `${registry.host}/hub` });
      const direct = await images.prepare({ kind: 'reference', reference: by, digest }, null, never);
      const viaMirror = await images.prepare({ kind: 'reference', reference: 'budget/before', digest }, null, never);
      expect(viaMirror.imageId).toBe(direct.imageId);
      expect(await images.tidy([])).toBe(0);
      expect(await there(direct.imageId)).toBe(true);
    });

    test('where nobody can say what is needed, what was used in the last hours stays', async () => {
      const images = imagesWith({ imageBudgetMb: 1 });
      const { id } = await pulled(images, 'fresh');
      expect([await images.tidy(null), await images.tidy([])]).toEqual([0, 0]);
      expect(await there(id)).toBe(true);
    });

    test('an executor without a budget takes nothing away', async () => {
      const { id } = await pulled(imagesWith(), 'unbounded');
      expect(await imagesWith().tidy([])).toBe(0);
      expect(await there(id)).toBe(true);
    });
  });
});
