import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { PROJECT_ROOT, sharedData } from '@assay/testing';

/** The row's file below `../shared/data`. */
export const ROWS = 'swebench/verified.jsonl.gz';

/** The image that tools/sympy makes. */
export const SYMPY_IMAGE = 'assay/sympy-20590:local';

/** The columns of the row that the tests look at. */
export interface SympyRow {
  readonly instance_id: string;
  readonly patch: string;
  readonly eval_script: string;
  readonly [column: string]: unknown;
}

/** The row sympy__sympy-20590 of SWE-bench Verified. */
export async function sympyRow(): Promise<SympyRow> {
  const input = createReadStream(sharedData(ROWS)).pipe(createGunzip());
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    const row = JSON.parse(line) as SympyRow;
    if (row.instance_id === 'sympy__sympy-20590') return row;
  }
  throw new Error(`${ROWS} has no row sympy__sympy-20590`);
}

/** Makes the image unless the engine has it. */
export async function makeSympyImage(): Promise<void> {
  const script = join(PROJECT_ROOT, 'tools/sympy/build.mjs');
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(said);
}
