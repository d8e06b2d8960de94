import { execFile } from 'node:child_process';
import { chmod, lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { codeOf } from './system-error';

/** Removes a folder, also one whose owner took his own right to read or write it. Absent is fine. */
export async function removeTree(dir: string): Promise<void> {
  const remove = () => rm(dir, { recursive: true, force: true, maxRetries: 3 });
  try {
    await remove();
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENAMETOOLONG') {
      // It goes down folder by folder, where a path of Node's has to be whole.
      await promisify(execFile)('rm', ['-rf', '--', dir], { env: { PATH: process.env['PATH'] ?? '' } });
      return;
    }
    if (code !== 'EACCES' && code !== 'EPERM') throw error;
    await openUp(dir);
    await remove();
  }
}

async function openUp(dir: string): Promise<void> {
  await chmod(dir, 0o700);
  for (const name of await readdir(dir)) {
    const path = join(dir, name);
    if ((await lstat(path)).isDirectory()) await openUp(path);
  }
}
