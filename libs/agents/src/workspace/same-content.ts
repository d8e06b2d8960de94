import { lstat, readdir, readFile, readlink } from 'node:fs/promises';

const BYTES = { encoding: 'buffer' } as const;

/** Files beyond this are left to git, which need not hold them in memory. Bytes. */
const MOST_READ = 16_777_216;

/**
 * True when two folders hold the same: then nobody needs git to tell. False when they differ, or when it would cost too
 * much to say. Only names, kinds, executable bits, link targets and content count, as in a git tree.
 */
export async function sameContent(one: string | Buffer, other: string | Buffer): Promise<boolean> {
  const [names, others] = await Promise.all([sortedNames(one), sortedNames(other)]);
  if (names.length !== others.length || names.some((name, index) => !name.equals(others[index] ?? Buffer.alloc(0)))) {
    return false;
  }
  for (const name of names) {
    if (!(await sameEntry(within(one, name), within(other, name)))) return false;
  }
  return true;
}

/** Names are bytes: not all of them are text. */
async function sortedNames(dir: string | Buffer): Promise<Buffer[]> {
  return (await readdir(dir, BYTES)).sort((a, b) => a.compare(b));
}

function within(dir: string | Buffer, name: Buffer): Buffer {
  return Buffer.concat([Buffer.from(dir), Buffer.from('/'), name]);
}

async function sameEntry(one: Buffer, other: Buffer): Promise<boolean> {
  const [a, b] = await Promise.all([lstat(one), lstat(other)]);
  if (a.isDirectory() && b.isDirectory()) return sameContent(one, other);
  if (a.isSymbolicLink() && b.isSymbolicLink())
    return (await readlink(one, BYTES)).equals(await readlink(other, BYTES));
  if (!a.isFile() || !b.isFile() || a.size !== b.size || a.size > MOST_READ) return false;
  if ((a.mode & 0o100) !== (b.mode & 0o100)) return false;
  const [left, right] = await Promise.all([readFile(one), readFile(other)]);
  return left.equals(right);
}
