import { isAbsolute, posix } from 'node:path';
import { Readable } from 'node:stream';
import type Docker from 'dockerode';
import type { Phase } from '@assay/contracts';
import { FetchMeter, withoutOddPaths, workspaceUnreadable } from '../fetch-meter';
import { bytePath, textOf, type BytePath } from '../byte-path';
import { portionsOf, type HostParts } from '../host-parts';
import type { FetchBounds } from '../sandbox.port';
import { inTar, packEntries, packFolder } from './archive-in';
import { namesIn, onlyFile } from './archive-out';
import { answered, flowing } from './bounded';
import { engine, statusOf } from './engine-errors';
import { partsIn } from './parts-in';
import { tarOf } from './tar/write-tar';
import { FolderUnpacker } from './unpack-folder';

const LIST_BOUNDS: FetchBounds = { maxBytes: 67_108_864, maxEntries: 10_000 };

/** What putting files may take, and what the engine may take before it begins to give a big folder. Milliseconds. */
const PUT_MS = 600_000;
const FIRST_MS = 120_000;

/** Files of one container, running or not. */
export class DockerFiles {
  constructor(
    private readonly container: Docker.Container,
    private readonly workdir: string,
    private readonly phase: Phase,
  ) {}

  async putFolder(hostDir: string, insideDir: string): Promise<void> {
    await this.put(packFolder(hostDir, inTar(this.locate(insideDir)), this.phase));
  }

  async putFile(insidePath: string, content: Buffer, mode = 0o644): Promise<void> {
    const path = this.locate(insidePath);
    await this.put(packEntries([], [{ path, content, mode }]));
  }

  async putParts({ hostDir, paths, insideDir, signal }: HostParts): Promise<void> {
    const prefix = bytePath(Buffer.from(inTar(this.locate(insideDir))));
    for (const portion of portionsOf(paths)) {
      signal.throwIfAborted();
      await this.put(Readable.from(tarOf(partsIn(hostDir, portion, prefix)), { objectMode: false }), signal);
    }
  }

  async getFile(insidePath: string, maxBytes: number): Promise<Buffer | null> {
    const path = this.locate(insidePath);
    const archive = await this.archive(path);
    return archive === null
      ? null
      : engine('a file cannot be read', this.phase, () => onlyFile(archive, path, maxBytes));
  }

  async list(insideDir: string): Promise<string[]> {
    const archive = await this.archive(this.locate(insideDir));
    return archive === null ? [] : engine('a folder cannot be read', this.phase, () => namesIn(archive, LIST_BOUNDS));
  }

  async fetchFolder(insideDir: string, hostDir: string, bounds: FetchBounds): Promise<void> {
    const path = this.locate(insideDir);
    const archive = await this.archive(path);
    if (archive === null) return;
    const unpacker = new FolderUnpacker(path, hostDir, new FetchMeter(bounds));
    const unpacked = withoutOddPaths(async () => {
      await unpacker.unpack(archive);
      for (const name of unpacker.missing) {
        const single = await this.archive(posix.join(path, nameable(name)));
        if (single !== null) await unpacker.unpackFile(single, name);
      }
    });
    await engine('a folder cannot be fetched', this.phase, () => unpacked).catch((error: unknown) => {
      bounds.signal?.throwIfAborted();
      throw error;
    });
  }

  private async put(tar: Readable, abortSignal?: AbortSignal): Promise<void> {
    const options = { path: '/', ...(abortSignal === undefined ? {} : { abortSignal }) };
    try {
      await engine('files cannot be put into the sandbox', this.phase, () =>
        answered(this.container.putArchive(tar, options), this.phase, PUT_MS),
      );
    } catch (error) {
      abortSignal?.throwIfAborted();
      throw error;
    } finally {
      tar.destroy();
    }
  }

  /** Null when there is nothing at that path. */
  private async archive(path: string): Promise<Readable | null> {
    return engine('the sandbox cannot be read', this.phase, async () => {
      try {
        const stream = await answered(this.container.getArchive({ path }), this.phase, FIRST_MS);
        return Readable.from(flowing(stream as AsyncIterable<Buffer>, this.phase), { objectMode: false });
      } catch (error) {
        // A file where a folder was expected is a 500 with these words.
        if (statusOf(error) === 404 || /: not a directory/.test(String(error))) return null;
        throw error;
      }
    });
  }

  private locate(path: string): string {
    return posix.normalize(isAbsolute(path) ? path : posix.join(this.workdir, path));
  }
}

/** The engine is asked for paths as text. @throws AgentError `workspace_unreadable` */
function nameable(path: BytePath): string {
  const text = textOf(path);
  if (text === null) throw workspaceUnreadable({ path });
  return text;
}
