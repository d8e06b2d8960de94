import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';

/**
 * The rows of a Parquet file as objects of what JSON can hold, one row group in memory at a time. All compressions that
 * the format has are read. Whole numbers beyond 2^53 and binary columns become text, times become ISO 8601.
 * @throws what reading or decoding throws
 */
export async function* parquetRows(path: string): AsyncGenerator<Record<string, unknown>> {
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file);
  let rowStart = 0;
  for (const group of metadata.row_groups) {
    const rowEnd = rowStart + Number(group.num_rows);
    for (const row of await parquetReadObjects({ file, metadata, compressors, rowStart, rowEnd })) {
      yield Object.fromEntries(Object.entries(row).map(([column, value]) => [column, jsonOf(value)]));
    }
    rowStart = rowEnd;
  }
}

function jsonOf(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (Array.isArray(value)) return value.map(jsonOf);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, jsonOf(member)]));
  }
  return value ?? null;
}
