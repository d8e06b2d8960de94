import Docker from 'dockerode';
import { cpus } from 'node:os';
import { describeNeeding, missingTestImage, testImage } from '@assay/testing';
import { SandboxHarness, shell } from '../conformance/sandbox-harness';
import type { Sandbox } from '../sandbox.port';
import type { Pinning } from './cores';
import { DockerSandboxProvider } from './docker-provider';

const docker = new Docker();
const warnings: object[] = [];
const logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: (fields: object, sentence: string) => {
    warnings.push({ ...fields, sentence });
  },
};
const harness = new SandboxHarness({
  name: 'docker',
  provider: (namespace) => new DockerSandboxProvider({ namespace, baseImage: testImage() }),
});

const pinning = (given: Pinning): DockerSandboxProvider =>
  new DockerSandboxProvider({ namespace: harness.namespace, baseImage: testImage(), pinning: given, logger });
const cpusetOf = async ({ id }: Sandbox): Promise<string | undefined> =>
  (await docker.getContainer(id).inspect()).HostConfig.CpusetCpus;

describeNeeding(missingTestImage(), 'sandboxes that are pinned', () => {
  beforeAll(() => harness.open());
  afterAll(() => harness.close());
  beforeEach(() => {
    warnings.length = 0;
  });

  test('have cores of their own, which the engine shows and the kernel keeps, and a new one gets those of one that went', async () => {
    const all = cpus().length;
    const provider = pinning({ cores: 'auto', slots: all });
    const [first, second] = [await harness.sandbox({}, provider), await harness.sandbox({}, provider)];
    expect([await cpusetOf(first), await cpusetOf(second)]).toEqual(['0', '1']);
    const { output } = await first.exec(shell('grep Cpus_allowed_list /proc/self/status'));
    expect(output.toString()).toMatch(/:\s0\n$/);
    await first.destroy();
    expect(await cpusetOf(await harness.sandbox({}, provider))).toBe('0');
    expect(warnings).toEqual([]);
  });

  test('are pinned to none where there are not enough for every slot, and that is said once', async () => {
    const provider = pinning({ cores: [0], slots: 2 });
    const sandboxes = [await harness.sandbox({}, provider), await harness.sandbox({}, provider)];
    expect(await Promise.all(sandboxes.map(cpusetOf))).toEqual(['', '']);
    expect(warnings).toEqual([
      { cores: [0], slots: 2, cpus: 1, sentence: 'Not pinned to cores: there are not enough for every slot' },
    ]);
  });

  test('that cannot be made keep no core', async () => {
    const provider = pinning({ cores: [1], slots: 1 });
    const image = { imageId: `sha256:${'0'.repeat(64)}`, workdir: '/', contextDir: null };
    await expect(harness.sandbox({ image }, provider)).rejects.toMatchObject({ blame: 'infra' });
    expect(await cpusetOf(await harness.sandbox({}, provider))).toBe('1');
  });
});
