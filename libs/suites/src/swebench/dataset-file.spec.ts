import { describeWithData, sharedData, withTempDir, writeFolder } from '@assay/testing';
import { dirname, join } from 'node:path';
import { datasetIds } from './dataset';
import { datasetFile } from './dataset-file';

const found = (files: string[], subset: string, split: string) =>
  withTempDir(async (dir) => {
    await writeFolder(dir, Object.fromEntries(files.map((file) => [file, ''])));
    const { file, ...about } = await datasetFile(subset, split, dir);
    expect(dirname(file)).toBe(dir);
    return { file: file.slice(dir.length + 1), ...about };
  });

test.each([
  ['verified', 'test', ['verified.jsonl.gz', 'lite.jsonl'], 'verified.jsonl.gz', 'SWE-bench/SWE-bench_Verified'],
  ['lite', 'dev', ['lite.jsonl', 'lite-dev.parquet'], 'lite-dev.parquet', 'SWE-bench/SWE-bench_Lite'],
  ['lite', 'test', ['lite.jsonl', 'lite-test.parquet'], 'lite-test.parquet', 'SWE-bench/SWE-bench_Lite'],
  ['full', 'train', ['full-train.jsonl', 'full-train.parquet'], 'full-train.jsonl', 'SWE-bench/SWE-bench'],
  ['multilingual', 'test', ['multilingual.parquet'], 'multilingual.parquet', 'SWE-bench/SWE-bench_Multilingual'],
])('%s, split %s, among %j is %s', async (subset, split, files, file, dataset) => {
  expect(await found(files, subset, split)).toEqual({ file, dataset, subset, split });
});

test('where there is none, the error names all that was looked for', async () => {
  await expect(datasetFile('verified', 'test', '/nowhere')).rejects.toMatchObject({
    code: 'dataset_not_found',
    message:
      'no rows of SWE-bench/SWE-bench_Verified (split test) in /nowhere: looked for verified-test.jsonl, ' +
      'verified-test.jsonl.gz, verified-test.parquet, verified.jsonl, verified.jsonl.gz, verified.parquet',
  });
});

test('a file without a split is that of the split test alone', async () => {
  await expect(found(['lite.jsonl'], 'lite', 'dev')).rejects.toThrow(
    /\(split dev\) in .*: looked for lite-dev\.jsonl, lite-dev\.jsonl\.gz, lite-dev\.parquet$/,
  );
});

test.each([
  ['huge', 'test', 'Unknown subset: huge (known: full, lite, verified, multilingual)'],
  ['toString', 'test', 'Unknown subset: toString'],
  ['Verified', 'test', 'Unknown subset: Verified'],
  ['verified', 'dev', 'Unknown split: dev (known: test of verified)'],
  ['lite', 'train', 'Unknown split: train (known: test, dev of lite)'],
])('the subset %s with the split %s is refused', async (subset, split, message) => {
  await expect(datasetFile(subset, split, '/nowhere')).rejects.toMatchObject({
    code: 'dataset_unknown',
    blame: 'task',
  });
  await expect(datasetFile(subset, split, '/nowhere')).rejects.toThrow(message);
});

test('the ids of a file are sorted by code points', () =>
  withTempDir(async (dir) => {
    const rows = ['b_-1', 'a-2', 'a-10', 'B-1', 'a_b'].map((instance_id) => ({
      instance_id,
      repo: 'a/b',
      base_commit: 'c',
      problem_statement: '',
      patch: '',
      test_patch: '',
      FAIL_TO_PASS: [],
      PASS_TO_PASS: [],
      eval_script: 'true',
      log_parser: 'parse_log_pytest',
      eval_type: 'pass_and_fail',
    }));
    await writeFolder(dir, { 'rows.jsonl': rows.map((row) => JSON.stringify(row)).join('\n') });
    expect(await datasetIds(join(dir, 'rows.jsonl'))).toEqual(['B-1', 'a-10', 'a-2', 'a_b', 'b_-1']);
  }));

describeWithData('Verified', 'swebench/verified.jsonl.gz', () => {
  test('has 500 ids in order, and is found by its name', async () => {
    const { file } = await datasetFile('verified', 'test', sharedData('swebench'));
    const ids = await datasetIds(file);
    expect(ids).toHaveLength(500);
    expect([ids[0], ids[499]]).toEqual(['astropy__astropy-12907', 'sympy__sympy-24661']);
  });
});
