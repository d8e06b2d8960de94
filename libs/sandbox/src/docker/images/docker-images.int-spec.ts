import Docker from 'dockerode';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Digest, Namespace } from '@assay/contracts';
import { describeNeeding, missingTestImage, removeTestImages, testImage } from '@assay/testing';
import { writeTree } from '../../conformance/sandbox-harness';
import { removeTree } from '../../remove-tree';
import { DockerImages } from './docker-images';

const docker = new Docker();
const namespace = Namespace.parse(`timg${process.pid.toString(36)}`);
const never = new AbortController().signal;

describeNeeding(missingTestImage(), 'images of tasks', () => {
  let dir: string;
  let serial = 0;
  const images = new DockerImages(docker, { namespace, baseImage: testImage() });

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'assay-images-'));
  });
  afterAll(async () => {
    await removeTree(dir);
    await removeTestImages(namespace);
  });

  /** A context of its own with this Dockerfile. */
  async function context(dockerfile: string, files: Record<string, string> = {}) {
    serial += 1;
    const contextDir = join(dir, `context-${serial}`);
    await writeTree(contextDir, { Dockerfile: dockerfile, ...files });
    const contextDigest = Digest.parse(serial.toString(16).padStart(64, '0'));
    return { source: { kind: 'build' as const, contextDigest }, contextDir };
  }
  const FROM = 'ARG BASE_IMAGE=node:22-bookworm\nFROM ${BASE_IMAGE}\n';

  test('a build takes the base image it is given and tells the working directory', async () => {
    const { source, contextDir } = await context(`${FROM}WORKDIR /srv/app\nCOPY x ./\n`, { x: '1' });
    const image = await images.prepare(source, contextDir, never);
    expect(image).toEqual({
      imageId: expect.stringMatching(/^sha256:/) as string,
      workdir: '/srv/app',
      contextDir,
    });
  });

  test('a build without its context is the fault of the task', async () => {
    const source = { kind: 'build', contextDigest: Digest.parse('e'.repeat(64)) } as const;
    await expect(images.prepare(source, null, never)).rejects.toMatchObject({ blame: 'task', code: 'context_missing' });
  });

  test('an image that is gone as soon as it was made is our fault', async () => {
    const gone = Object.assign(new Error('no such image'), { statusCode: 404 });
    const forgetful = Object.assign(new Docker(), { getImage: () => ({ inspect: () => Promise.reject(gone) }) });
    const lost = new DockerImages(forgetful, { namespace, baseImage: null });
    const { source, contextDir } = await context(`FROM ${testImage()}\n`);
    await expect(lost.prepare(source, contextDir, never)).rejects.toMatchObject({ blame: 'infra', code: 'image_lost' });
  });

  test('however many ask at the same time, it is built once, and a later ask finds it', async () => {
    const { source, contextDir } = await context(`${FROM}RUN date +%N > /stamp\n`);
    const built = await Promise.all(Array.from({ length: 5 }, () => images.prepare(source, contextDir, never)));
    const later = await new DockerImages(docker, { namespace, baseImage: testImage() }).prepare(
      source,
      contextDir,
      never,
    );
    expect(new Set([...built, later].map(({ imageId }) => imageId)).size).toBe(1);
  });

  test.each([
    ['an unknown instruction', `${FROM}FROBNICATE yes\n`],
    ['a copy of what is not there', `${FROM}COPY nothing /\n`],
    ['a command that fails', `${FROM}RUN exit 3\n`],
    ['no instruction at all', '\n'],
  ])('%s is the fault of the task', async (_name, dockerfile) => {
    const { source, contextDir } = await context(dockerfile);
    await expect(images.prepare(source, contextDir, never)).rejects.toMatchObject({
      blame: 'task',
      code: 'image_build_failed',
    });
  });

  test.each([
    ['a network that is away', `${FROM}RUN echo "Temporary failure resolving 'deb.example'" && exit 100\n`],
    ['a full disk', `${FROM}RUN echo "write error: No space left on device" && exit 1\n`],
    ['a base image that cannot be had', 'FROM assay-test.invalid/nothing:1\n'],
  ])('%s is ours', async (_name, dockerfile) => {
    const { source, contextDir } = await context(dockerfile);
    await expect(images.prepare(source, contextDir, never)).rejects.toMatchObject({ blame: 'infra' });
  });

  test('who leaves a build does not take it from the others', async () => {
    const { source, contextDir } = await context(`${FROM}RUN sleep 2\n`);
    const abort = new AbortController();
    const leaving = images.prepare(source, contextDir, abort.signal).catch((error: unknown) => error);
    const staying = images.prepare(source, contextDir, never);
    setTimeout(() => {
      abort.abort(new Error('left'));
    }, 300);
    expect(await leaving).toMatchObject({ message: 'left' });
    expect((await staying).imageId).toMatch(/^sha256:/);
  });

  test('a build that everybody left is aborted, and can be asked for again', async () => {
    const { source, contextDir } = await context(`${FROM}RUN sleep 2 && echo again\n`);
    const signal = AbortSignal.timeout(300);
    await expect(images.prepare(source, contextDir, signal)).rejects.toMatchObject({ name: 'TimeoutError' });
    expect((await images.prepare(source, contextDir, never)).imageId).toMatch(/^sha256:/);
  });

  test('beyond a budget built images go, and are built again; the base image is not ours and stays', async () => {
    const own = Namespace.parse(`${namespace}b`);
    const { source, contextDir } = await context(`${FROM}RUN head -c 3000000 /dev/urandom > /big\n`);
    const bounds = { imageBudgetMb: 1, imageRestMs: 0 };
    const budgeted = new DockerImages(docker, { namespace: own, baseImage: testImage(), ...bounds });
    const before = await budgeted.prepare(source, contextDir, never);
    expect(await budgeted.tidy([source])).toBe(0);
    expect(await budgeted.tidy([])).toBe(1);
    await expect(docker.getImage(before.imageId).inspect()).rejects.toMatchObject({ statusCode: 404 });
    expect((await docker.getImage(testImage()).inspect()).RepoTags).toContain(testImage());
    expect((await budgeted.prepare(source, contextDir, never)).imageId).not.toBe(before.imageId);
    expect(await budgeted.tidy([])).toBe(1);
  });

  test('a ready image is found by its name, by its id, and by a name frozen with its id', async () => {
    const reference = testImage();
    const { imageId } = await images.prepare({ kind: 'reference', reference }, null, never);
    const byId = await images.prepare({ kind: 'reference', reference: imageId }, null, never);
    const frozen = await images.prepare({ kind: 'reference', reference, digest: imageId }, null, never);
    expect([byId.imageId, frozen.imageId]).toEqual([imageId, imageId]);
  });

  test('a name that stands for another image than it was frozen with is not taken', async () => {
    const source = { kind: 'reference', reference: testImage(), digest: `sha256:${'0'.repeat(64)}` } as const;
    await expect(images.prepare(source, null, never)).rejects.toMatchObject({
      blame: 'infra',
      code: 'image_unavailable',
    });
  });
});
