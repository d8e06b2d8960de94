import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, unlink } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { AgentError } from '@assay/failures';
import { codeOf } from '../system-error';

type Kind = 'absent' | 'link' | 'folder' | 'file' | 'other';

/**
 * The folder that stands for a process sandbox's file system. Paths from inside are looked up below it; a symbolic link
 * on the way is never followed, so nothing that ran inside can make us read or write elsewhere in its name.
 */
export class ConfinedRoot {
  constructor(readonly dir: string) {}

  /** Host path of an inside path: one below the root stands for itself, another absolute one is mapped below the root. */
  locate(insidePath: string, base: string): string {
    const absolute = isAbsolute(insidePath) ? resolve(insidePath) : resolve(base, insidePath);
    return this.contains(absolute) ? absolute : join(this.dir, absolute);
  }

  contains(path: string): boolean {
    return path === this.dir || path.startsWith(this.dir + sep);
  }

  /** What stands at a host path below the root; `link` also when a folder on the way is one. */
  async kindAt(path: string): Promise<Kind> {
    let at = this.dir;
    let kind: Kind = 'folder';
    for (const part of this.parts(path)) {
      if (kind !== 'folder') return kind === 'link' ? 'link' : 'absent';
      at = join(at, part);
      kind = await kindOf(at);
    }
    return kind;
  }

  /** Makes a folder and its parents. @throws AgentError `path_escapes_sandbox` when a link stands in the way */
  async makeFolder(path: string): Promise<void> {
    let at = this.dir;
    for (const part of this.parts(path)) {
      at = join(at, part);
      const kind = await kindOf(at);
      if (kind === 'absent') await mkdir(at);
      else if (kind !== 'folder') throw escape(at, kind);
    }
  }

  /** Writes a file anew; whatever stood there before (a link too) is taken away, not written through. */
  async writeFile(path: string, content: Buffer, mode: number): Promise<void> {
    await this.makeFolder(resolve(path, '..'));
    const kind = await kindOf(path);
    if (kind === 'folder') throw escape(path, kind);
    if (kind !== 'absent') await unlink(path);
    const file = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW);
    try {
      await file.writeFile(content);
      await file.chmod(mode);
    } finally {
      await file.close();
    }
  }

  /** Content of a regular file, null for anything else. @throws AgentError `file_too_large` */
  async readFile(path: string, maxBytes: number): Promise<Buffer | null> {
    if ((await this.kindAt(path)) !== 'file') return null;
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const { size } = await file.stat();
      if (size > maxBytes) throw tooLarge(path, size, maxBytes);
      const content = Buffer.alloc(size);
      const { bytesRead } = await file.read(content, 0, size, 0);
      return content.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  }

  /** Names directly in a folder; none when there is no such folder. */
  async list(path: string): Promise<string[]> {
    return (await this.kindAt(path)) === 'folder' ? (await readdir(path)).sort() : [];
  }

  private parts(path: string): string[] {
    if (!this.contains(path)) throw escape(path, 'outside');
    return relative(this.dir, path).split(sep).filter(Boolean);
  }
}

export function tooLarge(path: string, size: number, maxBytes: number): AgentError {
  return new AgentError(`${path} has ${size} bytes, more than the ${maxBytes} that are read`, {
    code: 'file_too_large',
    phase: 'extract',
    details: { path, size, maxBytes },
  });
}

export function escape(path: string, kind: string): AgentError {
  return new AgentError(`${path} cannot be written: a ${kind} stands in the way`, {
    code: 'path_escapes_sandbox',
    phase: 'agent',
    details: { path, kind },
  });
}

export async function kindOf(path: string | Buffer): Promise<Kind> {
  try {
    const stat = await lstat(path);
    if (stat.isSymbolicLink()) return 'link';
    if (stat.isDirectory()) return 'folder';
    return stat.isFile() ? 'file' : 'other';
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'absent';
    throw error;
  }
}
