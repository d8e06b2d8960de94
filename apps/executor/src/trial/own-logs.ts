import { readdir } from 'node:fs/promises';

/** True too where there is no such folder. */
export async function isEmptyFolder(dir: string): Promise<boolean> {
  const names = await readdir(dir).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
  return names.length === 0;
}
