import { describeNeeding, missingTestImage } from '@assay/testing';
import { GradingBench } from '../harness/grading-bench';
import { GOOD_PATCH, greetingTask } from '../harness/greeting-task';

describeNeeding(missingTestImage(), 'a grade that wants more than the engine has', () => {
  test('fails at once, before its image is looked for', async () => {
    const bench = await GradingBench.open('docker', 'registry.invalid/no/such:image');
    const grading = bench.harbor(greetingTask(), { patch: GOOD_PATCH, memoryMb: 60_000_000 });
    await expect(grading).rejects.toMatchObject({ blame: 'infra', code: 'limits_beyond_engine' });
    expect(await bench.left()).toEqual([]);
    await bench.close();
  });
});
