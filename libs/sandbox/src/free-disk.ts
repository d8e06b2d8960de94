import { statfs } from 'node:fs/promises';

/** Megabytes that an ordinary user may still write where `path` lies. */
export async function freeMegabytes(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return Math.floor((bavail * bsize) / 1_048_576);
}
