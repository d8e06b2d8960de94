import Docker from 'dockerode';
import { describeNeeding, missingTestImage, testImage } from '@assay/testing';
import { SandboxHarness, shell } from '../conformance/sandbox-harness';
import type { SandboxLimits } from '../sandbox.port';
import { DockerSandboxProvider } from './docker-provider';

const harness = new SandboxHarness({
  name: 'docker',
  provider: (namespace) => new DockerSandboxProvider({ namespace, baseImage: testImage() }),
});
const SMALL: SandboxLimits = { cpus: 1, memoryMb: 256, diskMb: 100, pids: 64 };

describeNeeding(missingTestImage(), 'the limits of a sandbox', () => {
  beforeAll(() => harness.open());
  afterAll(() => harness.close());

  test('that the engine has are fine', async () => {
    const { NCPU } = (await new Docker().info()) as { NCPU: number };
    await harness.provider.fits({ ...SMALL, cpus: NCPU });
  });

  test.each([
    ['cpus', 1_000],
    ['memoryMb', 60_000_000],
  ] as const)('that it has not are our fault, with field, value and what it has: %s', async (field, value) => {
    const failure: unknown = await harness.provider.fits({ ...SMALL, [field]: value }).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      blame: 'infra',
      code: 'limits_beyond_engine',
      details: { field, wanted: value, most: expect.any(Number) as number },
    });
    expect(String(failure)).toMatch(
      new RegExp(`${field}: expected at most \\d+, what the Docker engine .* got ${value}`),
    );
  });

  test('that a suite may state at least are enough for a shell and a pipe', async () => {
    const sandbox = await harness.sandbox({ limits: { cpus: 0.1, memoryMb: 6, diskMb: 1, pids: 6 } });
    const { output } = await sandbox.exec(shell('cat greeting.txt | cat'));
    expect(output.toString()).toBe('hello\n');
  });
});
