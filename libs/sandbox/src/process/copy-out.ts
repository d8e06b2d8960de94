import { chmod, copyFile, lstat, mkdir, readdir, readlink, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { FetchMeter, staysBehind, workspaceReplaced } from '../fetch-meter';
import type { FetchBounds } from '../sandbox.port';
import type { ConfinedRoot } from './confined';

/** `fetchFolder` of the process sandbox. Nothing may run inside while it copies. */
export async function copyOut(root: ConfinedRoot, from: string, to: string, bounds: FetchBounds): Promise<void> {
  const kind = await root.kindAt(from);
  if (kind === 'absent') return;
  if (kind !== 'folder') throw workspaceReplaced(from, kind);
  await copyFolder(from, to, new FetchMeter(bounds));
}

async function copyFolder(from: string, to: string, meter: FetchMeter): Promise<void> {
  await chmod(from, 0o700);
  for (const name of await readdir(from)) {
    if (staysBehind(name)) continue;
    const source = join(from, name);
    const target = join(to, name);
    const stat = await lstat(source);
    meter.count(stat.isFile() ? stat.size : 0);
    if (stat.isDirectory()) {
      await mkdir(target);
      await copyFolder(source, target, meter);
    } else if (stat.isSymbolicLink()) {
      await symlink(await readlink(source), target);
    } else if (stat.isFile()) {
      if ((stat.mode & 0o400) === 0) await chmod(source, stat.mode | 0o400);
      await copyFile(source, target);
      await chmod(target, FetchMeter.hostMode(stat.mode));
    }
  }
}
