import { describeNeeding, describeWithData, missingTestImage, PROJECT_ROOT, sharedData } from '@assay/testing';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { scratchFolder, TestDeployment } from '../harness/deployment';

const ROWS = 'swebench/verified.jsonl.gz';

/** Builds the row's image and writes its suite, as docs/suites.md tells a user to. */
async function buildRow(dir: string): Promise<void> {
  const args = [join(PROJECT_ROOT, 'tools/sympy/build.mjs'), '--suite', dir, '--rows', sharedData(ROWS)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(said);
}

describeNeeding(missingTestImage(), 'SWE-bench through all five services', () => {
  describeWithData('one real row', ROWS, realRow);
});

function realRow(): void {
  let scratch: Awaited<ReturnType<typeof scratchFolder>>;
  let deployment: TestDeployment;

  beforeAll(async () => {
    scratch = await scratchFolder();
    await buildRow(scratch.dir);
    deployment = await TestDeployment.start({ suitesDir: scratch.dir, sandbox: 'docker', slots: 1, timeScale: 0.2 });
  }, 300_000);
  afterAll(async () => {
    await deployment.stop();
    await scratch.remove();
  });

  test.each([
    ['oracle', 'RESOLVED'],
    ['nop', 'UNRESOLVED'],
  ])(
    'with the agent %s it is %s',
    async (agent, state) => {
      const { runId } = await deployment.submit({ suite: 'swe-real', agent });
      await deployment.finished(runId, 240_000);
      const [instance] = await deployment.instances(runId);
      expect(instance).toMatchObject({ instanceId: 'sympy__sympy-20590', state });
    },
    300_000,
  );
}
