import { constants } from 'node:fs';
import { chmod, copyFile, lstat, mkdir, readlink, symlink, unlink } from 'node:fs/promises';
import { hostPath, type BytePath } from '../byte-path';
import { FetchMeter } from '../fetch-meter';
import { escape, kindOf } from './confined';

export interface CopyIn {
  /** A folder of the host. */
  readonly from: string;
  /** A folder inside, which is there and no link. */
  readonly to: string;
  readonly paths: readonly BytePath[];
  readonly signal: AbortSignal;
}

/**
 * Puts files and links into a process sandbox, through no link that lies there.
 * @throws AgentError `path_escapes_sandbox` where something else than a folder is on the way, or a folder in the place
 */
export async function copyIn({ from, to, paths, signal }: CopyIn): Promise<void> {
  const folders = new Set<BytePath>();
  for (const path of paths) {
    signal.throwIfAborted();
    const parts = path.split('/').slice(0, -1);
    for (const at of parts.keys()) await makeFolder(to, parts.slice(0, at + 1).join('/'), folders);
    await copyPart(hostPath(from, path), hostPath(to, path));
  }
}

async function makeFolder(to: string, path: BytePath, made: Set<BytePath>): Promise<void> {
  if (made.has(path)) return;
  const folder = hostPath(to, path);
  const kind = await kindOf(folder);
  if (kind === 'absent') await mkdir(folder);
  else if (kind !== 'folder') throw escape(folder.toString(), kind);
  made.add(path);
}

async function copyPart(source: Buffer, target: Buffer): Promise<void> {
  const stat = await lstat(source);
  if (!stat.isFile() && !stat.isSymbolicLink()) return;
  const kind = await kindOf(target);
  if (kind === 'folder') throw escape(target.toString(), kind);
  if (kind !== 'absent') await unlink(target);
  if (stat.isSymbolicLink()) {
    await symlink(await readlink(source, { encoding: 'buffer' }), target);
    return;
  }
  if ((stat.mode & 0o400) === 0) await chmod(source, 0o600);
  await copyFile(source, target, constants.COPYFILE_EXCL);
  await chmod(target, FetchMeter.hostMode(stat.mode));
}
