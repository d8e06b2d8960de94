import { chmod, lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Removes a folder, also one whose owner took his own right to read or write it. Absent is fine. */
export async function removeTree(dir: string): Promise<void> {
  const remove = () => rm(dir, { recursive: true, force: true, maxRetries: 3 });
  try {
    await remove();
  } catch (error) {
    if (!isDenied(error)) throw error;
    await openUp(dir);
    await remove();
  }
}

function isDenied(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM');
}

async function openUp(dir: string): Promise<void> {
  await chmod(dir, 0o700);
  for (const name of await readdir(dir)) {
    const path = join(dir, name);
    if ((await lstat(path)).isDirectory()) await openUp(path);
  }
}
