import Docker from 'dockerode';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describeNeeding, eventually, missingTestImage, PROJECT_ROOT, testImage } from '@assay/testing';
import { SandboxHarness, shell, workKeyOf } from '../conformance/sandbox-harness';
import { NAMESPACE_LABEL } from '../labels';
import { DockerSandboxProvider } from './docker-provider';

const harness = new SandboxHarness({
  name: 'docker',
  provider: (namespace) => new DockerSandboxProvider({ namespace, baseImage: testImage() }),
});
const docker = new Docker();

/** An executor that makes a container with our labels and then does nothing more: it is killed by the test. */
const OWNER = `
const Docker = require('dockerode');
const [image, name, labels] = process.argv.slice(1);
(async () => {
  const container = await new Docker().createContainer({
    Image: image, name, Entrypoint: ['sleep'], Cmd: ['300'], Labels: JSON.parse(labels), HostConfig: { Init: true },
  });
  await container.start();
  process.stdout.write(container.id);
  setInterval(() => undefined, 1000);
})();
`;

describeNeeding(missingTestImage(), 'containers that outlive their owner', () => {
  beforeAll(() => harness.open());
  afterAll(() => harness.close());

  test('a container whose executor was killed is reaped by another', async () => {
    const labels = {
      [NAMESPACE_LABEL]: harness.namespace,
      'assay.kind': 'trial',
      'assay.run': 'run-1',
      'assay.instance': 'orphan',
      'assay.sample': '0',
      'assay.epoch': '1',
      'assay.role': 'trial',
      'assay.deadline': String(Date.now() + 300_000),
    };
    const args = ['-e', OWNER, testImage(), `${harness.namespace}-orphan`, JSON.stringify(labels)];
    const owner = spawn(process.execPath, args, { cwd: PROJECT_ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
    const [id] = (await once(owner.stdout, 'data')) as [Buffer];
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    expect((await docker.getContainer(id.toString()).inspect()).State.Running).toBe(true);
    expect(await harness.another().reap(() => false)).toBe(1);
    await expect(docker.getContainer(id.toString()).inspect()).rejects.toMatchObject({ statusCode: 404 });
  });

  test('what lacks a label of ours, or any label, is never reaped', async () => {
    const strangers = await Promise.all(
      [{}, { [NAMESPACE_LABEL]: harness.namespace }, { [NAMESPACE_LABEL]: `${harness.namespace}z` }].map((Labels) =>
        docker.createContainer({ Image: testImage(), Cmd: ['sleep', '60'], Labels }),
      ),
    );
    try {
      await harness.another().reap(() => false);
      for (const stranger of strangers) expect((await stranger.inspect()).Id).toBe(stranger.id);
    } finally {
      await Promise.all(strangers.map((stranger) => stranger.remove({ force: true })));
    }
  });

  test('a removal by another, still under way, is waited for', async () => {
    const sandbox = await harness.sandbox({ key: workKeyOf('slow-removal') });
    await sandbox.exec(shell('mkdir many && cd many && seq 1 20000 | xargs touch', { timeoutMs: 60_000 }));
    const byAnother = docker.getContainer(sandbox.id).remove({ force: true });
    // Which of the two the engine refuses is chance.
    await Promise.all([byAnother.catch(() => undefined), sandbox.destroy()]);
    await expect(docker.getContainer(sandbox.id).inspect()).rejects.toMatchObject({ statusCode: 404 });
  });

  test('a volume that was left by a removal of somebody else is reaped, one that is in use is not', async () => {
    const [left, live] = [workKeyOf('left-volume'), workKeyOf('live-volume')];
    const kept = await harness.sandbox({ key: live });
    const lost = await harness.sandbox({ key: left });
    await docker.getContainer(lost.id).remove({ force: true });
    const ours = async (): Promise<string[]> => {
      const { Volumes } = await docker.listVolumes({ filters: { label: [`${NAMESPACE_LABEL}=${harness.namespace}`] } });
      return Volumes.map(({ Labels }) => Labels['assay.instance'] ?? '');
    };
    expect(await ours()).toEqual(expect.arrayContaining(['left-volume', 'live-volume']));
    await harness.another().reap((key) => key.instanceId === live.instanceId);
    expect(await ours()).toEqual(['live-volume']);
    expect((await kept.exec(shell('echo alive'))).output.toString()).toBe('alive\n');
  });

  test('networks with labels of ours are reaped alike, those of others are not', async () => {
    const labels = (instance: string): Record<string, string> => ({
      [NAMESPACE_LABEL]: harness.namespace,
      'assay.kind': 'trial',
      'assay.run': 'run-1',
      'assay.instance': instance,
      'assay.sample': '0',
      'assay.epoch': '1',
      'assay.role': 'trial',
      'assay.deadline': String(Date.now() + 300_000),
    });
    const make = (name: string, Labels: Record<string, string>): Promise<Docker.Network> =>
      docker.createNetwork({ Name: `${harness.namespace}-${name}`, Internal: true, Labels });
    const made = await Promise.all([make('dead', labels('dead')), make('live', labels('live')), make('strange', {})]);
    try {
      await harness.another().reap(({ instanceId }) => instanceId !== 'dead');
      const there = await Promise.all(
        made.map((network) =>
          network
            .inspect()
            .then(() => true)
            .catch(() => false),
        ),
      );
      expect(there).toEqual([false, true, true]);
    } finally {
      await Promise.allSettled(made.map((network) => network.remove()));
    }
  });

  test('volumes of an image go with its container', async () => {
    const before = await volumes();
    const made = await docker.createContainer({ Image: testImage(), Cmd: ['true'], Volumes: { '/data': {} } });
    const image = (await made.commit({ repo: `${harness.namespace}/volume` })) as { Id: string };
    await made.remove({ force: true, v: true });
    const { Id: imageId } = image;
    const sandbox = await harness.sandbox({ image: { imageId, workdir: '/', contextDir: null } });
    expect((await volumes()).length).toBeGreaterThan(before.length);
    await sandbox.destroy();
    await eventually(async () => (await volumes()).length === before.length);
    await docker.getImage(imageId).remove({ force: true });
  });

  async function volumes(): Promise<string[]> {
    const { Volumes } = await docker.listVolumes();
    return Volumes.map(({ Name }) => Name);
  }
});
