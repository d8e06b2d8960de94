import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Digest, Namespace, type ImageSource } from '@assay/contracts';
import type { WorkContext } from '@assay/messaging';
import { DockerSandboxProvider, removeTree, type PreparedImage } from '@assay/sandbox';
import { describeNeeding, missingTestImage, removeTestImages, testImage } from '@assay/testing';
import { frozenImage } from './frozen-image';

const namespace = Namespace.parse(`tfrozen${process.pid.toString(36)}`);
const signal = new AbortController().signal;
const DOCKERFILE = 'ARG BASE_IMAGE=node:22-bookworm\nFROM ${BASE_IMAGE}\nWORKDIR /app\nRUN date +%N > /stamp\n';

describeNeeding(missingTestImage(), 'the image of a grade', () => {
  let contextDir: string;
  beforeAll(async () => {
    contextDir = await mkdtemp(join(tmpdir(), 'assay-frozen-'));
    await writeFile(join(contextDir, 'Dockerfile'), DOCKERFILE);
  });
  afterAll(async () => {
    await removeTree(contextDir);
    await removeTestImages(namespace);
  });

  const built = { kind: 'build', contextDigest: Digest.parse('f'.repeat(64)) } as const;
  /** A worker of its own on the engine: executor and grader know nothing of each other. */
  const worker = (imageBudgetMb?: number): DockerSandboxProvider =>
    new DockerSandboxProvider({
      namespace,
      baseImage: testImage(),
      ...(imageBudgetMb === undefined ? {} : { imageBudgetMb, imageRestMs: 0 }),
    });
  const grade = (image: ImageSource, imageId: string | null): Promise<PreparedImage> => {
    const work = { spec: { instance: { image }, imageId }, signal } as WorkContext<'grade'>;
    return frozenImage(worker(), work, contextDir);
  };

  test('is that of its attempt’s trial, also after images were tidied in between', async () => {
    const trial = await worker().prepareImage(built, contextDir, signal);
    expect(await worker(1).tidyImages([built])).toBe(0);
    expect((await grade(built, trial.imageId)).imageId).toBe(trial.imageId);
  });

  test('is that of its trial although its name stands for another one by now', async () => {
    const trial = await worker().prepareImage(built, contextDir, signal);
    const image = await grade({ kind: 'reference', reference: testImage() }, trial.imageId);
    expect(image).toMatchObject({ imageId: trial.imageId, workdir: '/app' });
  });

  test('is never another one: where that of the trial is gone and made anew, the grade fails by our fault', async () => {
    const trial = await worker().prepareImage(built, contextDir, signal);
    expect(await worker(1).tidyImages([])).toBe(1);
    const cold = 'ARG BASE_IMAGE=x\nFROM ${BASE_IMAGE}\nWORKDIR /app\nRUN date +%s%N > /stamp\n';
    await writeFile(join(contextDir, 'Dockerfile'), cold);
    await expect(grade(built, trial.imageId)).rejects.toMatchObject({ blame: 'infra', code: 'image_changed' });
  });

  test('is the instance’s own where there was no trial', async () => {
    const own = await worker().prepareImage({ kind: 'reference', reference: testImage() }, null, signal);
    expect((await grade({ kind: 'reference', reference: testImage() }, null)).imageId).toBe(own.imageId);
  });
});
