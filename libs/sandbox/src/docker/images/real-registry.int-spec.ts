import Docker from 'dockerode';
import { Namespace, type ImageSource } from '@assay/contracts';
import { describeNeeding, missingTestImage, testImage } from '@assay/testing';
import { missingRegistry, RealRegistry } from '../../conformance/real-registry';
import { ImagesAhead, type WantedImage } from '../../images-ahead';
import { SILENT } from '../../sandbox-log';
import { DockerSandboxProvider, type DockerProviderOptions } from '../docker-provider';
import { RegistryPatience } from './registry-patience';

const docker = new Docker();
const namespace = Namespace.parse(`treal${process.pid.toString(36)}`);
const never = new AbortController().signal;
const MB = 1_048_576;

describeNeeding(missingTestImage() ?? missingRegistry(), 'images of a real registry', () => {
  let registry: RealRegistry;
  beforeAll(async () => {
    registry = await RealRegistry.start();
  });
  beforeEach(async () => {
    await removeImages();
    registry.asked.length = 0;
  });
  afterAll(async () => {
    await removeImages();
    await registry.close();
  });

  async function removeImages(): Promise<void> {
    for (const { Id, RepoTags, RepoDigests } of await docker.listImages()) {
      const names = [...(RepoTags ?? []), ...(RepoDigests ?? [])];
      if (!names.some((name) => name.startsWith(registry.host) || name.startsWith(`${namespace}/`))) continue;
      await docker.getImage(Id).remove({ force: true });
    }
  }

  /** A worker of the namespace on this engine. */
  const worker = (options: Partial<DockerProviderOptions> = {}): DockerSandboxProvider =>
    new DockerSandboxProvider({ namespace, baseImage: testImage(), patience: new RegistryPatience(20), ...options });

  async function pushed(name: string, bytes?: number) {
    const digest = await registry.push(`team/${name}`, bytes);
    return { kind: 'reference', reference: `${registry.host}/team/${name}:v1`, digest } as const;
  }

  const hereOf = (provider: DockerSandboxProvider, sources: readonly ImageSource[]): Promise<boolean[]> =>
    Promise.all(sources.map((source) => provider.hasImage(source)));

  test('the grade of an attempt finds the image of its trial by digest, whatever the tag stands for meanwhile', async () => {
    const source = await pushed('moving');
    const trial = await worker().prepareImage(source, null, never);
    await registry.push('team/moving');
    const grade = await worker().prepareImage(source, null, never);
    expect(grade).toEqual(trial);
    expect(await worker().prepareImage({ kind: 'reference', reference: trial.imageId }, null, never)).toEqual(trial);
    expect(trial.workdir).toBe('/work');
  });

  test('the window is kept: no more are made ready than come next, and it slides', async () => {
    const sources = [await pushed('a'), await pushed('b'), await pushed('c'), await pushed('d')];
    const provider = worker();
    let begun = 0;
    const ahead = new ImagesAhead<WantedImage>({
      provider,
      coming: () =>
        Promise.resolve({
          needed: sources,
          complete: true,
          next: sources.slice(begun, begun + 2).map((image) => ({ id: image.reference, image })),
        }),
      open: () => Promise.reject(new Error('nothing is built here')),
      everyMs: 60_000,
      logger: SILENT,
    });
    await ahead.look();
    expect(await hereOf(provider, sources)).toEqual([true, true, false, false]);
    begun = 1;
    await ahead.look();
    expect(await hereOf(provider, sources)).toEqual([true, true, true, false]);
    registry.asked.length = 0;
    await provider.prepareImage(sources[2]!, null, never);
    expect(registry.asked).toEqual([]);
  });

  test('what an open run needs is never evicted, neither for the budget nor for what comes next', async () => {
    const provider = worker({ imageBudgetMb: 5, imageRestMs: 0 });
    const [needed, done, next] = [await pushed('n', 3 * MB), await pushed('o', 3 * MB), await pushed('p', 3 * MB)];
    await provider.prepareImage(needed, null, never);
    await provider.prepareImage(done, null, never);
    expect(await provider.tidyImages([needed, next])).toBe(1);
    expect(await hereOf(provider, [needed, done])).toEqual([true, false]);
    expect(await provider.prepareAhead(next, null, { needed: [needed, next], signal: never })).toBe('no_room');
    expect(await hereOf(provider, [needed, next])).toEqual([true, false]);
    expect(await provider.tidyImages([])).toBe(0);
  });

  test('a registry that says "too many" is asked again after a while by a trial, and left alone by what nobody waits for', async () => {
    const [wanted, coming] = [await pushed('wanted'), await pushed('coming')];
    registry.asked.length = 0;
    registry.refusing = 2;
    expect((await worker().prepareImage(wanted, null, never)).workdir).toBe('/work');
    expect(registry.asked.slice(0, 3).map((line) => line.slice(0, 3))).toEqual(['429', '429', '200']);

    const provider = worker({ patience: new RegistryPatience(60_000) });
    registry.refusing = 1;
    const context = { needed: [coming], signal: never };
    await expect(provider.prepareAhead(coming, null, context)).rejects.toMatchObject({ code: 'image_unavailable' });
    expect(await provider.prepareAhead(coming, null, context)).toBe('paused');
  });

  test('a mirror is asked first, and asked alone where it has the image', async () => {
    const digest = await registry.push('hub/team/mirrored');
    const source = { kind: 'reference', reference: 'team/mirrored', digest } as const;
    const provider = worker({ registryMirror: `${registry.host}/hub` });
    const { imageId } = await provider.prepareImage(source, null, never);
    expect(registry.asked).toEqual([expect.stringMatching(`^200 /v2/hub/team/mirrored/manifests/${digest}`)]);
    expect((await docker.getImage(imageId).inspect()).RepoDigests).toEqual([
      `${registry.host}/hub/team/mirrored@${digest}`,
    ]);
  });

  test('a disk that is full makes nothing ready ahead', async () => {
    const source = await pushed('full');
    const provider = worker({ minFreeMb: 1_000_000_000 });
    expect(await provider.prepareAhead(source, null, { needed: [source], signal: never })).toBe('no_room');
    expect(await provider.hasImage(source)).toBe(false);
  });
});
