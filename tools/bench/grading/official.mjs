import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../install/ensure.mjs';

const PACKAGE = 'swebench==5.0.2';
/** The tests of libs/grading use the same. */
const VENV = join(root, '.assay/official-harness-5.0.2');
const python = join(VENV, 'bin/python');
const asks = ['-B', join(root, 'libs/grading/src/oracle/oracle.py')];

/** The Python that loads the official package, which is installed if need be; or `{missing}`, in words. */
export function officialPython() {
  const works = () => existsSync(python) && spawnSync(python, asks, { input: '' }).status === 0;
  if (works()) return { python };
  const made = spawnSync('python3', ['-m', 'venv', '--clear', VENV], { encoding: 'utf8' });
  if (made.status !== 0) return { missing: `python3 with venv (${made.error?.message ?? made.stderr})` };
  const pip = ['-m', 'pip', '--disable-pip-version-check', 'install', '--quiet', '--no-deps', PACKAGE];
  const installed = spawnSync(python, pip, { encoding: 'utf8' });
  if (installed.status !== 0) return { missing: `${PACKAGE} (${installed.stderr.trim().slice(-300)})` };
  return works() ? { python } : { missing: `a Python that ${PACKAGE} runs on` };
}
