import { describeWithData, PROJECT_ROOT, sharedData } from '@assay/testing';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { loadSuite, type Suite } from './load-suite';
import { openSource } from './task-source';

const FOLDER = join(PROJECT_ROOT, 'suites');
const NAMES = readdirSync(FOLDER).map((file) => file.replace(/\.yaml$/, ''));

const shipped = (name: string): Promise<Suite> => loadSuite(join(FOLDER, `${name}.yaml`), sharedData(''));

test('these suites are shipped', () => {
  expect(NAMES).toEqual(
    expect.arrayContaining([
      'dsw_release_swe_verified_v1',
      'swe_verified_smoke',
      'terminal_bench_2',
      'eas_smoke',
      'gold',
      'nop',
      'direct_agent',
    ]),
  );
});

test.each(NAMES)('%s is valid as a whole, under its own name', async (name) => {
  expect((await shipped(name)).name).toBe(name);
});

test('every data file that is not shipped says how to get it, and how much it must hold', async () => {
  for (const name of NAMES) {
    const { source } = await shipped(name);
    if (source.kind === 'harbor') continue;
    expect({ name, obtain: source.obtain?.length }).toEqual({ name, obtain: expect.any(Number) as number });
    expect(source.expect).toBe(source.kind === 'swebench' ? 500 : 89);
  }
});

test('only the two benchmarks publish a score, with the thresholds that their users know', async () => {
  const suites = await Promise.all(NAMES.map(shipped));
  const scoring = suites.filter(({ publish }) => publish === 'score');
  expect(
    scoring.map(({ name, kind, benchmarkSize, errorThreshold }) => [name, kind, benchmarkSize, errorThreshold]),
  ).toEqual([
    ['dsw_release_swe_verified_v1', 'benchmark', 500, 10],
    ['terminal_bench_2', 'benchmark', 89, 2],
  ]);
  for (const { agent, limits, retry, abortAfterInfraFailures } of scoring) {
    expect(agent).toMatchObject({ name: 'qwen-code', version: 'evaluated' });
    expect(limits).toMatchObject({ wallSeconds: 7200, turns: 200, cpus: 2 });
    expect(retry).toEqual({ maxAttempts: 4, backoffSeconds: 60 });
    expect(abortAfterInfraFailures).toBe(0);
  }
  expect(scoring[0]?.limits.memoryMb).toBe(4096);
});

test.each([
  ['gold', 'diagnostic', 'oracle'],
  ['nop', 'diagnostic', 'nop'],
  ['direct_agent', 'diagnostic', 'mini'],
  ['eas_smoke', 'infrastructure', 'probe'],
])('%s is for %s, with the agent %s', async (name, kind, agent) => {
  expect(await shipped(name)).toMatchObject({ kind, agent: { name: agent } });
});

describeWithData('the shipped suites of SWE-bench Verified', 'swebench/verified.jsonl.gz', () => {
  test('hold 500 instances, each with an image', async () => {
    for (const name of ['dsw_release_swe_verified_v1', 'swe_verified_smoke', 'eas_smoke']) {
      const source = await openSource(await shipped(name));
      expect(source.ids).toHaveLength(500);
      expect(source.ids).toEqual([...source.ids].sort());
      expect((await source.pack(source.ids[0]!)).image.kind).toBe('reference');
      await source.close();
    }
  });
});

test('without the folder of data, a suite can be read and its instances are refused with the reason', async () => {
  const suite = await loadSuite(join(FOLDER, 'terminal_bench_2.yaml'));
  await expect(openSource(suite)).rejects.toMatchObject({
    code: 'data_missing',
    message: expect.stringMatching(/ASSAY_DATA_DIR.*is not set.*How to get it: let Harbor fetch/) as string,
  });
});
