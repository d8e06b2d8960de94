import { PROJECT_ROOT, sharedData } from '@assay/testing';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Where the rows lie below the shared data. */
export const SWEBENCH_ROWS = 'swebench/verified.jsonl.gz';

/** Builds the image of row sympy__sympy-20590 and writes its suite to `<dir>/swe-real.yaml`, as docs/suites.md tells a user to. */
export async function buildSympyRow(dir: string): Promise<void> {
  const args = [join(PROJECT_ROOT, 'tools/sympy/build.mjs'), '--suite', dir, '--rows', sharedData(SWEBENCH_ROWS)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(said);
}
