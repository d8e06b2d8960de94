import { PROJECT_ROOT } from '@assay/testing';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGE = 'pyarrow==26.0.1';
const VENV = join(PROJECT_ROOT, '.assay/pyarrow-26.0.1');
const PYTHON = join(VENV, 'bin/python');

/**
 * Null when Python's Parquet writer is at hand, else what is missing. Installs it into a folder of its own if need be, by
 * pip; it blocks, so that a test file can ask before it describes its tests.
 */
export function missingPyarrow(): string | null {
  if (works()) return null;
  const made = spawnSync('python3', ['-m', 'venv', '--clear', VENV], { encoding: 'utf8' });
  if (made.status !== 0) return `python3 with venv (${made.error?.message ?? made.stderr})`;
  const pip = ['-m', 'pip', '--disable-pip-version-check', 'install', '--quiet', '--only-binary=:all:', PACKAGE];
  const installed = spawnSync(PYTHON, pip, { encoding: 'utf8' });
  if (installed.status !== 0) return `${PACKAGE} from Python's registry (${installed.stderr.trim().slice(-300)})`;
  return works() ? null : `a Python that ${PACKAGE} runs on`;
}

function works(): boolean {
  return existsSync(PYTHON) && spawnSync(PYTHON, ['-c', 'import pyarrow.parquet']).status === 0;
}

/** What a Parquet file is written with. */
export interface Written {
  readonly compression: 'snappy' | 'zstd' | 'gzip' | 'brotli' | 'lz4' | 'none';
  readonly rowsPerGroup: number;
  /** FAIL_TO_PASS and PASS_TO_PASS become columns of lists. */
  readonly lists: boolean;
}

/** Writes lines of JSON as a Parquet file. @throws Error with what Python said */
export function writeParquet(lines: Buffer, file: string, { compression, rowsPerGroup, lists }: Written): void {
  const args = [join(__dirname, 'to_parquet.py'), file, compression, String(rowsPerGroup), ...(lists ? ['lists'] : [])];
  const done = spawnSync(PYTHON, args, { input: lines, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`to_parquet.py failed: ${done.stderr}`);
}
