import { withTempDir } from '@assay/testing';
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { locate, requireDataFile } from './data-file';

test.each([
  ['rows.jsonl', '/data', '/suites/rows.jsonl'],
  ['../rows.jsonl', '/data', '/rows.jsonl'],
  ['/else/rows.jsonl', '/data', '/else/rows.jsonl'],
  ['${ASSAY_DATA_DIR}/swebench/rows.jsonl', '/data', '/data/swebench/rows.jsonl'],
  ['${ASSAY_DATA_DIR}/rows.jsonl', null, '${ASSAY_DATA_DIR}/rows.jsonl'],
])('%s with the data folder %s is %s', (path, dataDir, expected) => {
  expect(locate(path, '/suites', dataDir)).toBe(expected);
});

test('a file that is not there is told with its place and how to get it', () =>
  withTempDir(async (dir) => {
    const file = join(dir, 'tasks.tar.gz');
    await expect(requireDataFile('s.yaml', { file, obtain: 'ask the owner' })).rejects.toMatchObject({
      code: 'data_missing',
      blame: 'task',
      message: `s.yaml: source.file: there is no file ${file}. How to get it: ask the owner`,
    });
    await mkdir(file);
    await expect(requireDataFile('s.yaml', { file })).rejects.toThrow(`${file} is not a file`);
  }));

test('where no folder of data is set, that is what the refusal says', async () => {
  const file = '${ASSAY_DATA_DIR}/tasks.tar.gz';
  await expect(requireDataFile('s.yaml', { file, obtain: 'ask the owner' })).rejects.toMatchObject({
    code: 'data_missing',
    message:
      's.yaml: source.file: ${ASSAY_DATA_DIR}/tasks.tar.gz is wanted, and ASSAY_DATA_DIR, the folder of data, is not set. ' +
      'How to get it: ask the owner',
  });
});

test('a file is taken with its own sha256, and refused with another', () =>
  withTempDir(async (dir) => {
    const file = join(dir, 'rows.jsonl');
    await writeFile(file, 'content');
    const sha256 = createHash('sha256').update('content').digest('hex');
    await expect(requireDataFile('s.yaml', { file, sha256 })).resolves.toBeUndefined();
    await expect(requireDataFile('s.yaml', { file, sha256: '0'.repeat(64) })).rejects.toMatchObject({
      code: 'data_changed',
      message: `s.yaml: source.sha256: expected ${'0'.repeat(64)}, but ${file} has ${sha256}`,
    });
  }));
