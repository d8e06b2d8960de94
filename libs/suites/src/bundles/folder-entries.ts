import { InfraError, TaskError } from '@assay/failures';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

/** A folder or regular file of a tree, its name relative to the root with `/` between the parts. */
export interface FolderEntry {
  readonly name: string;
  readonly kind: 'folder' | 'file';
  /** On the host, links followed. */
  readonly file: string;
  /** Bytes; 0 for a folder. */
  readonly size: number;
  readonly executable: boolean;
}

/**
 * Everything under `root`, sorted by name in code-unit order, a folder before what it holds. A link to a regular file
 * inside counts as that file.
 * @throws TaskError `bundle_refused` for other links, sockets, pipes and devices; InfraError `read_failed` where the
 * host cannot read
 */
export async function folderEntries(root: string): Promise<FolderEntry[]> {
  try {
    const entries = await walk(await realpath(root), '');
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (error instanceof TaskError) throw error;
    throw new InfraError(`cannot read ${root}`, {
      code: 'read_failed',
      phase: 'dispatch',
      details: { root },
      cause: error,
    });
  }
}

async function walk(root: string, prefix: string): Promise<FolderEntry[]> {
  const found: FolderEntry[] = [];
  for (const child of await readdir(join(root, prefix), { withFileTypes: true })) {
    const name = prefix === '' ? child.name : `${prefix}/${child.name}`;
    if (child.isDirectory()) {
      found.push({ name, kind: 'folder', file: join(root, name), size: 0, executable: false });
      found.push(...(await walk(root, name)));
    } else {
      found.push(await fileEntry(root, name, child.isSymbolicLink(), child.isFile()));
    }
  }
  return found;
}

async function fileEntry(root: string, name: string, isLink: boolean, isFile: boolean): Promise<FolderEntry> {
  const refuse = (why: string) =>
    new TaskError(`${name} in ${root} cannot be packed: ${why}`, {
      code: 'bundle_refused',
      phase: 'dispatch',
      details: { root, name },
    });
  if (!isLink && !isFile) throw refuse('it is neither a folder nor a regular file');
  const file = isLink ? await realpath(join(root, name)).catch(() => null) : join(root, name);
  if (file === null) throw refuse('the link leads nowhere');
  const inside = relative(root, file);
  if (inside === '..' || inside.startsWith(`..${sep}`)) throw refuse('the link leads outside');
  const found = await stat(file);
  if (!found.isFile()) throw refuse('the link does not lead to a regular file');
  return { name, kind: 'file', file, size: found.size, executable: (found.mode & 0o100) !== 0 };
}
