import { chmod, copyFile, lstat, mkdir, readdir, readlink, symlink } from 'node:fs/promises';
import { bytePath, hostPath, type BytePath } from '../byte-path';
import { FetchMeter, staysBehind, withoutOddPaths, workspaceReplaced } from '../fetch-meter';
import type { FetchBounds } from '../sandbox.port';
import type { ConfinedRoot } from './confined';

/** `fetchFolder` of the process sandbox. Nothing may run inside while it copies. */
export async function copyOut(root: ConfinedRoot, from: string, to: string, bounds: FetchBounds): Promise<void> {
  const kind = await root.kindAt(from);
  if (kind === 'absent') return;
  if (kind !== 'folder') throw workspaceReplaced(from, kind);
  await withoutOddPaths(() => copyFolder({ from, to, path: '' }, new FetchMeter(bounds)));
}

interface Place {
  readonly from: string;
  readonly to: string;
  /** Of a folder, below both. */
  readonly path: BytePath;
}

async function copyFolder({ from, to, path }: Place, meter: FetchMeter): Promise<void> {
  const folder = hostPath(from, path);
  await chmod(folder, 0o700);
  for (const bytes of await readdir(folder, { encoding: 'buffer' })) {
    const name = bytePath(bytes);
    if (staysBehind(name)) continue;
    const below = path === '' ? name : `${path}/${name}`;
    const source = hostPath(from, below);
    const target = hostPath(to, below);
    const stat = await lstat(source);
    meter.count(stat.isFile() ? stat.size : 0);
    if (stat.isDirectory()) {
      await mkdir(target);
      await copyFolder({ from, to, path: below }, meter);
    } else if (stat.isSymbolicLink()) {
      await symlink(await readlink(source, { encoding: 'buffer' }), target);
    } else if (stat.isFile()) {
      if ((stat.mode & 0o400) === 0) await chmod(source, stat.mode | 0o400);
      await copyFile(source, target);
      await chmod(target, FetchMeter.hostMode(stat.mode));
    }
  }
}
