import { lstat } from 'node:fs/promises';
import { hostPath, type BytePath } from '@assay/sandbox';

/** What lies at a path; null: nothing. */
export type PathKind = 'file' | 'link' | 'folder' | null;

/** Looks that are made at the same time. */
const AT_ONCE = 500;

/** What lies at each path below a folder of the host. */
export async function kindsOf(dir: string, paths: readonly BytePath[]): Promise<Map<BytePath, PathKind>> {
  const kinds = new Map<BytePath, PathKind>();
  for (let at = 0; at < paths.length; at += AT_ONCE) {
    const some = paths.slice(at, at + AT_ONCE);
    const found = await Promise.all(some.map((path) => kindOf(hostPath(dir, path))));
    for (const [index, path] of some.entries()) kinds.set(path, found[index] ?? null);
  }
  return kinds;
}

async function kindOf(path: Buffer): Promise<PathKind> {
  const stat = await lstat(path).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    // Also below what is no folder there is nothing.
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  });
  if (stat === null) return null;
  return stat.isFile() ? 'file' : stat.isSymbolicLink() ? 'link' : 'folder';
}
