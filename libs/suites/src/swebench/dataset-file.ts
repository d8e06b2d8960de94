import { TaskError } from '@assay/failures';
import { access } from 'node:fs/promises';
import { join } from 'node:path';

/** The data sets by the short names that mini-swe-agent and the harness give them, with the splits that they have. */
export const DATASETS = {
  full: { name: 'SWE-bench/SWE-bench', splits: ['test', 'dev', 'train'] },
  lite: { name: 'SWE-bench/SWE-bench_Lite', splits: ['test', 'dev'] },
  verified: { name: 'SWE-bench/SWE-bench_Verified', splits: ['test'] },
  multilingual: { name: 'SWE-bench/SWE-bench_Multilingual', splits: ['test'] },
} as const satisfies Record<string, { name: string; splits: readonly string[] }>;

export type DatasetSubset = keyof typeof DATASETS;

/** A file of rows, and what it holds. */
export interface DatasetFile {
  readonly file: string;
  /** The public name of the data set. */
  readonly dataset: string;
  readonly subset: DatasetSubset;
  readonly split: string;
}

const ENDINGS = ['.jsonl', '.jsonl.gz', '.parquet'];

/**
 * The file in `folder` with the rows of a subset: `<subset>-<split>` with `.jsonl`, `.jsonl.gz` or `.parquet`, in this
 * order; for the split test also `<subset>` alone.
 * @throws TaskError `dataset_unknown` where there is no such subset or split, `dataset_not_found` naming what was looked for
 */
export async function datasetFile(subset: string, split: string, folder: string): Promise<DatasetFile> {
  const known = subsetOf(subset);
  const { name, splits } = DATASETS[known];
  if (!(splits as readonly string[]).includes(split)) {
    throw unknown('split', split, `${splits.join(', ')} of ${known}`);
  }
  const stems = split === 'test' ? [`${known}-${split}`, known] : [`${known}-${split}`];
  const names = stems.flatMap((stem) => ENDINGS.map((ending) => `${stem}${ending}`));
  for (const candidate of names) {
    const file = join(folder, candidate);
    if (await exists(file)) return { file, dataset: name, subset: known, split };
  }
  throw new TaskError(`no rows of ${name} (split ${split}) in ${folder}: looked for ${names.join(', ')}`, {
    code: 'dataset_not_found',
    phase: 'dispatch',
    details: { folder, names },
  });
}

function subsetOf(subset: string): DatasetSubset {
  const found = Object.keys(DATASETS).find((name) => name === subset);
  if (found === undefined) throw unknown('subset', subset, Object.keys(DATASETS).join(', '));
  return found as DatasetSubset;
}

function unknown(field: string, value: string, known: string): TaskError {
  return new TaskError(`Unknown ${field}: ${value} (known: ${known})`, {
    code: 'dataset_unknown',
    phase: 'dispatch',
    details: { [field]: value },
  });
}

/** False only where there is no such file; one that may not be read is found, and told by whoever reads it. */
async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    (error: unknown) => (error as NodeJS.ErrnoException).code !== 'ENOENT',
  );
}
