import { createWriteStream } from 'node:fs';
import { chmod, copyFile, mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Header } from 'tar-stream';
import { FetchMeter, staysBehind, workspaceReplaced } from '../fetch-meter';
import { below, eachEntry } from './archive-out';

/**
 * Writes archives of a sandbox's folder below an empty folder of the host: files, folders, and links as links. Devices and
 * whatever would land elsewhere is left out. Nothing is ever read or written through a link that came out of the sandbox.
 */
export class FolderUnpacker {
  private readonly folders = new Set<string>(['.']);
  /** What was written: the size of a file, or the target of a link. A hard link may name one of them. */
  private readonly written = new Map<string, number | string>();
  /** Hard links whose other name stayed behind: to be fetched one by one. */
  readonly missing: string[] = [];

  constructor(
    private readonly insideDir: string,
    private readonly hostDir: string,
    private readonly meter: FetchMeter,
  ) {}

  async unpack(archive: Readable): Promise<void> {
    await eachEntry(archive, async (header, content, path, root) => {
      if (path === '' && header.type !== 'directory') throw workspaceReplaced(this.insideDir, header.type);
      if (path === '' || path.split('/').some(staysBehind) || !this.folders.has(dirname(path))) return;
      if (header.type === 'link') await this.hardLink(path, below(root, header.linkname));
      else await this.write(header, content, path);
    });
  }

  /** Writes one file from an archive of its own. */
  async unpackFile(archive: Readable, path: string): Promise<void> {
    await eachEntry(archive, async (header, content) => {
      await this.write(header, content, path);
    });
  }

  private async write(header: Header, content: Readable, path: string): Promise<void> {
    const target = join(this.hostDir, path);
    switch (header.type) {
      case 'directory':
        this.meter.count(0);
        await mkdir(target);
        this.folders.add(path);
        return;
      case 'file': {
        this.meter.count(header.size);
        const mode = FetchMeter.hostMode(header.mode);
        await pipeline(content, createWriteStream(target, { flags: 'wx', mode }));
        await chmod(target, mode);
        this.written.set(path, header.size);
        return;
      }
      case 'symlink':
        await this.symbolicLink(path, header.linkname);
        return;
      case 'link':
      case 'block-device':
      case 'character-device':
      case 'contiguous-file':
      case 'fifo':
      default:
        return; // no part of a patch
    }
  }

  private async symbolicLink(path: string, target: string): Promise<void> {
    this.meter.count(0);
    await symlink(target, join(this.hostDir, path));
    this.written.set(path, target);
  }

  private async hardLink(path: string, source: string | null): Promise<void> {
    const twin = source === null ? undefined : this.written.get(source);
    if (source === null || twin === undefined) this.missing.push(path);
    else if (typeof twin === 'string') await this.symbolicLink(path, twin);
    else {
      this.meter.count(twin);
      await copyFile(join(this.hostDir, source), join(this.hostDir, path));
      this.written.set(path, twin);
    }
  }
}
