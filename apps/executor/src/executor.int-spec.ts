import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileArtifactStore } from '@assay/artifacts';
import { InstanceId, Namespace, RunId } from '@assay/contracts';
import { DockerSandboxProvider, removeTree } from '@assay/sandbox';
import { startService } from '@assay/service-kit';
import { contextDigest, packTask } from '@assay/suites';
import {
  describeNeeding,
  eventually,
  missingTestImage,
  removeTestImages,
  testImage,
  untilClaimed,
  WaitingWork,
  withEngineAway,
  workKey,
  writeTask,
  type StartWorker,
} from '@assay/testing';
import { executor } from './executor';

let waiting: WaitingWork;

beforeEach(async () => {
  waiting = await WaitingWork.of(workKey(RunId.parse('run-1'), 'trial'));
});
afterEach(async () => {
  await waiting.stop();
});

test('while the engine is away nothing is claimed and the message is given back; once it can work, it claims', async () => {
  const start: StartWorker = (settings, write) => startService(executor, settings, { write });
  const away = await withEngineAway(waiting, start);
  expect(away).toMatchObject({ claims: 0, ready: 503 });
  expect(away.refusals[0]).toContain('/nowhere/docker.sock');
  await untilClaimed(waiting, start);
});

describeNeeding(missingTestImage(), 'an executor whose next trials are known', () => {
  test('makes their images ready while it claims, and asks for no more than its window', async () => {
    const namespace = Namespace.parse(waiting.env['ASSAY_NAMESPACE']);
    const dir = await mkdtemp(join(tmpdir(), 'assay-next-'));
    const folder = await writeTask(dir, {
      'environment/Dockerfile': 'ARG BASE_IMAGE=x\nFROM ${BASE_IMAGE}\nRUN sleep 1 && date +%N > /stamp\n',
    });
    const store = new FileArtifactStore({ dir: waiting.env['ASSAY_ARTIFACTS_DIR'] ?? '', namespace });
    const bundle = await store.put('task_bundle', 'application/x-tar', await packTask(folder));
    const image = { kind: 'build', contextDigest: await contextDigest(join(folder, 'environment')) } as const;
    const next = { id: InstanceId.parse('i-9'), source: 'harbor', bundle, image } as const;
    const asked = waiting.tellImages({ needed: [image], complete: true, next: [next] });
    const env = { ASSAY_SANDBOXES: 'docker', ASSAY_BASE_IMAGE: testImage(), ASSAY_IMAGES_AHEAD: '3' };
    const running = await startService(executor, { ...waiting.env, ...env }, { write: () => undefined });
    try {
      const engine = new DockerSandboxProvider({ namespace, baseImage: testImage() });
      await eventually(() => waiting.claims === 1);
      await eventually(() => engine.hasImage(image));
      expect(new Set(asked.map(({ next: wanted }) => wanted))).toEqual(new Set([0, 3]));
    } finally {
      await running.stop();
      await removeTestImages(namespace);
      await removeTree(dir);
    }
  });
});
