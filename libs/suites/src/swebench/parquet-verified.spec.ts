import { describeNeeding, describeWithData, sharedData, withTempDir } from '@assay/testing';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { missingPyarrow, writeParquet, type Written } from './oracle/pyarrow';
import { type ReadRow, readRows } from './read-rows';

const FILE = 'swebench/verified.jsonl.gz';

async function all(file: string): Promise<ReadRow[]> {
  const rows: ReadRow[] = [];
  for await (const row of readRows(file)) rows.push(row);
  return rows;
}

describeWithData('the rows of SWE-bench Verified as Parquet', FILE, () => {
  describeNeeding(missingPyarrow(), 'written by pyarrow', () => {
    test.each<Written>([
      { compression: 'snappy', rowsPerGroup: 1000, lists: false },
      { compression: 'zstd', rowsPerGroup: 100, lists: true },
      { compression: 'gzip', rowsPerGroup: 77, lists: true },
      { compression: 'none', rowsPerGroup: 500, lists: false },
    ])('are those of the lines: %j', (written) =>
      withTempDir(async (dir) => {
        const expected = await all(sharedData(FILE));
        const file = join(dir, 'verified.parquet');
        writeParquet(gunzipSync(await readFile(sharedData(FILE))), file, written);
        const read = await all(file);
        expect(read).toHaveLength(500);
        expect(read.map(({ row }) => row)).toEqual(expected.map(({ row }) => row));
        if (!written.lists) expect(read.map(({ raw }) => raw)).toEqual(expected.map(({ raw }) => raw));
      }),
    );
  });
});
