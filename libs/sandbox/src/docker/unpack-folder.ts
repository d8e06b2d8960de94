import { createWriteStream } from 'node:fs';
import { chmod, copyFile, mkdir, symlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { hostPath, type BytePath } from '../byte-path';
import { FetchMeter, staysBehind, workspaceReplaced } from '../fetch-meter';
import { below, eachEntry } from './archive-out';
import type { TarEntry } from './tar/read-tar';

/**
 * Writes archives of a sandbox's folder below an empty folder of the host: files, folders, and links as links. Devices and
 * whatever would land elsewhere is left out. Nothing is ever read or written through a link that came out of the sandbox.
 */
export class FolderUnpacker {
  private readonly folders = new Set<BytePath>(['.']);
  /** What was written: the size of a file, or the target of a link. A hard link may name one of them. */
  private readonly written = new Map<BytePath, number | BytePath>();
  /** Hard links whose other name stayed behind: to be fetched one by one. */
  readonly missing: BytePath[] = [];

  constructor(
    private readonly insideDir: string,
    private readonly hostDir: string,
    private readonly meter: FetchMeter,
  ) {}

  async unpack(archive: Readable): Promise<void> {
    await eachEntry(archive, async (entry, path, root) => {
      if (path === '' && entry.type !== 'directory') throw workspaceReplaced(this.insideDir, entry.type);
      if (path === '' || path.split('/').some(staysBehind) || !this.folders.has(dirname(path))) return;
      if (entry.type === 'link') await this.hardLink(path, below(root, entry.target));
      else await this.write(entry, path);
    });
  }

  /** Writes one file from an archive of its own. */
  async unpackFile(archive: Readable, path: BytePath): Promise<void> {
    await eachEntry(archive, async (entry) => {
      await this.write(entry, path);
    });
  }

  private async write(entry: TarEntry, path: BytePath): Promise<void> {
    switch (entry.type) {
      case 'directory':
        this.meter.count(0);
        await mkdir(this.at(path));
        this.folders.add(path);
        return;
      case 'file': {
        this.meter.count(entry.size);
        const mode = FetchMeter.hostMode(entry.mode);
        await pipeline(entry.content, createWriteStream(this.at(path), { flags: 'wx', mode }));
        await chmod(this.at(path), mode);
        this.written.set(path, entry.size);
        return;
      }
      case 'symlink':
        await this.symbolicLink(path, entry.target);
        return;
      case 'link':
      case 'other':
        return; // no part of a patch
    }
  }

  private async symbolicLink(path: BytePath, target: BytePath): Promise<void> {
    this.meter.count(0);
    await symlink(Buffer.from(target, 'latin1'), this.at(path));
    this.written.set(path, target);
  }

  private async hardLink(path: BytePath, source: BytePath | null): Promise<void> {
    const twin = source === null ? undefined : this.written.get(source);
    if (source === null || twin === undefined) this.missing.push(path);
    else if (typeof twin === 'string') await this.symbolicLink(path, twin);
    else {
      this.meter.count(twin);
      await copyFile(this.at(source), this.at(path));
      this.written.set(path, twin);
    }
  }

  private at(path: BytePath): Buffer {
    return hostPath(this.hostDir, path);
  }
}
