import type { TaskError } from '@assay/failures';
import { withTempDir } from '@assay/testing';
import { readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parquetRows } from '../files/parquet-rows';
import { type ReadRow, readRows } from './read-rows';

/** Three made-up rows, written by oracle/to_parquet.py with two rows to a group. */
const DATA = join(__dirname, 'testdata');

async function read(name: string): Promise<ReadRow[]> {
  const rows: ReadRow[] = [];
  for await (const row of readRows(join(DATA, name))) rows.push(row);
  return rows;
}

const rowsOf = async (name: string) => (await read(name)).map(({ row }) => row);

test.each(['rows.snappy.parquet', 'rows.lists.zstd.parquet'])('%s has the rows that the lines have', async (name) => {
  const rows = await rowsOf(name);
  expect(rows).toHaveLength(3);
  expect(rows).toEqual(await rowsOf('rows.jsonl'));
});

test('columns of strings come as the lines have them, whole numbers beyond 2^53 as text', async () => {
  const [first] = await read('rows.snappy.parquet');
  const [line] = await read('rows.jsonl');
  expect(first?.raw).toEqual({ ...line?.raw, number: '9007199254740993' });
  expect(first?.place).toMatchObject({ unit: 'row', number: 1 });
});

test('columns of lists come as lists', async () => {
  const rows = await read('rows.lists.zstd.parquet');
  expect(rows.map(({ raw }) => raw['PASS_TO_PASS'])).toEqual([
    [],
    ['tests/test_w.py::test_0'],
    ['tests/test_w.py::test_0', 'tests/test_w.py::test_1'],
  ]);
  expect(rows[1]?.row.image).toBeNull();
});

test('rows of before SWE-bench 5 are refused, naming file, row, instance and each missing column', async () => {
  const { message, code } = (await read('classic.snappy.parquet').catch((error: unknown) => error)) as TaskError;
  expect(code).toBe('row_invalid');
  const missing = 'the column is missing (rows of SWE-bench 5 have it), got nothing';
  expect(message.split('\n')).toEqual([
    `${join(DATA, 'classic.snappy.parquet')} is not a file of SWE-bench rows (acme__widget-1):`,
    `  row 1 eval_script: ${missing}`,
    `  row 1 log_parser: ${missing}`,
    `  row 1 eval_type: ${missing}`,
  ]);
});

test.each([
  ['no Parquet', (file: string) => writeFile(file, 'no parquet at all')],
  ['empty', (file: string) => writeFile(file, '')],
  ['cut off', (file: string) => truncate(file, 4000)],
])('a file that is %s is told as such', (_, harm) =>
  withTempDir(async (dir) => {
    const file = join(dir, 'rows.parquet');
    await writeFile(file, await readFile(join(DATA, 'rows.snappy.parquet')));
    await harm(file);
    await expect(readRows(file).next()).rejects.toMatchObject({ code: 'source_unreadable', blame: 'task' });
  }),
);

test('a file that is not there is told as such', async () => {
  await expect(readRows('/nowhere/rows.parquet').next()).rejects.toThrow(/cannot read the rows of .*ENOENT/);
});

test('who stops early ends the reading', async () => {
  const rows = parquetRows(join(DATA, 'rows.snappy.parquet'));
  expect((await rows.next()).value).toMatchObject({ instance_id: 'acme__widget-1' });
  expect(await rows.return(undefined)).toMatchObject({ done: true });
});
