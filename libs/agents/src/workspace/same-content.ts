import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';

/** Files beyond this are left to git, which need not hold them in memory. Bytes. */
const MOST_READ = 16_777_216;

/**
 * True when two folders hold the same: then nobody needs git to tell. False when they differ, or when it would cost too
 * much to say. Only names, kinds, executable bits, link targets and content count, as in a git tree.
 */
export async function sameContent(one: string, other: string): Promise<boolean> {
  const [names, others] = await Promise.all([sortedNames(one), sortedNames(other)]);
  if (names.length !== others.length || names.some((name, index) => name !== others[index])) return false;
  for (const name of names) {
    if (!(await sameEntry(join(one, name), join(other, name)))) return false;
  }
  return true;
}

async function sortedNames(dir: string): Promise<string[]> {
  return (await readdir(dir)).sort();
}

async function sameEntry(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([lstat(one), lstat(other)]);
  if (a.isDirectory() && b.isDirectory()) return sameContent(one, other);
  if (a.isSymbolicLink() && b.isSymbolicLink()) return (await readlink(one)) === (await readlink(other));
  if (!a.isFile() || !b.isFile() || a.size !== b.size || a.size > MOST_READ) return false;
  if ((a.mode & 0o100) !== (b.mode & 0o100)) return false;
  const [left, right] = await Promise.all([readFile(one), readFile(other)]);
  return left.equals(right);
}
