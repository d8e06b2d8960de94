import { describeNeeding, describeWithData, missingTestImage } from '@assay/testing';
import { scratchFolder, TestDeployment } from '../harness/deployment';
import { buildSympyRow, SWEBENCH_ROWS } from '../harness/sympy-row';

describeNeeding(missingTestImage(), 'SWE-bench through all five services', () => {
  describeWithData('one real row', SWEBENCH_ROWS, realRow);
});

function realRow(): void {
  let scratch: Awaited<ReturnType<typeof scratchFolder>>;
  let deployment: TestDeployment;

  beforeAll(async () => {
    scratch = await scratchFolder();
    await buildSympyRow(scratch.dir);
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
