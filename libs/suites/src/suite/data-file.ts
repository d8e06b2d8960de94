import { TaskError } from '@assay/failures';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** What the path of a file begins with that lies in the deployment's folder of data. */
const DATA = '${ASSAY_DATA_DIR}/';

/** A file of data as a suite names it, its path made absolute by `locate`. */
export interface DataFile {
  readonly file: string;
  readonly sha256?: string | undefined;
  readonly obtain?: string | undefined;
}

/**
 * A suite's path made absolute: relative ones lie beside the suite file, those that begin with `${ASSAY_DATA_DIR}/` in the
 * folder of data. Where a deployment has none, such a path stays as it is, and opening the suite says so.
 */
export function locate(path: string, suiteDir: string, dataDir: string | null): string {
  if (!path.startsWith(DATA)) return resolve(suiteDir, path);
  return dataDir === null ? path : join(resolve(dataDir), path.slice(DATA.length));
}

/**
 * The file is there, and is the one that the suite means.
 * @throws TaskError `data_missing` saying where it is expected and how to get it, `data_changed` for another sha256
 */
export async function requireDataFile(suiteFile: string, { file, sha256, obtain }: DataFile): Promise<void> {
  const how = obtain === undefined ? '' : `. How to get it: ${obtain}`;
  const missing = (why: string) =>
    new TaskError(`${suiteFile}: source.file: ${why}${how}`, {
      code: 'data_missing',
      phase: 'dispatch',
      details: { file },
    });
  if (file.startsWith(DATA)) {
    throw missing(`${file} is wanted, and ASSAY_DATA_DIR, the folder of data, is not set`);
  }
  const found = await stat(file).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  });
  if (found === null) throw missing(`there is no file ${file}`);
  if (!found.isFile()) throw missing(`${file} is not a file`);
  if (sha256 === undefined) return;
  const actual = await sha256Of(file);
  if (actual === sha256) return;
  throw new TaskError(`${suiteFile}: source.sha256: expected ${sha256}, but ${file} has ${actual}${how}`, {
    code: 'data_changed',
    phase: 'dispatch',
    details: { file, expected: sha256, actual },
  });
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
