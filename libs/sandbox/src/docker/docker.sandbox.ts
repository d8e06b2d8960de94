import type Docker from 'dockerode';
import { Readable } from 'node:stream';
import { isAbsolute, posix } from 'node:path';
import type { Phase } from '@assay/contracts';
import { withinTime } from './bounded';
import { FetchMeter } from '../fetch-meter';
import type { ExecRequest, ExecResult, FetchBounds, Sandbox } from '../sandbox.port';
import { inTar, packEntries, packFolder } from './archive-in';
import { namesIn, onlyFile } from './archive-out';
import { DockerExec } from './docker-exec';
import { DiskWatch } from './disk-watch';
import { engine, statusOf } from './engine-errors';
import { killContainer, removeContainer } from './remove-container';
import { FolderUnpacker } from './unpack-folder';

/** Harbor's folders. */
export const DOCKER_PATHS = { tests: '/tests', solution: '/solution', logs: '/logs' } as const;

const LIST_BOUNDS: FetchBounds = { maxBytes: 67_108_864, maxEntries: 10_000 };
const REMOVE_MS = 120_000;

/** One container, which does nothing but sleep until its deadline; commands are executed in it. */
export class DockerSandbox implements Sandbox {
  readonly paths = DOCKER_PATHS;
  private readonly commands: DockerExec;

  constructor(
    private readonly container: Docker.Container,
    readonly workdir: string,
    private readonly phase: Phase,
    private readonly bounds: { readonly diskMb: number; readonly diskLookMs?: number },
    env: Readonly<Record<string, string>>,
  ) {
    this.commands = new DockerExec(container, env, workdir, phase);
  }

  get id(): string {
    return this.container.id;
  }

  async exec(request: ExecRequest): Promise<ExecResult> {
    const { diskMb, diskLookMs } = this.bounds;
    const watch = new DiskWatch(this.container, diskMb, this.phase, diskLookMs);
    watch.start();
    try {
      return await this.commands.run(request);
    } finally {
      // Why the container was killed outranks what its command met with.
      await watch.stop();
    }
  }

  async putFolder(hostDir: string, insideDir: string): Promise<void> {
    await this.put(packFolder(hostDir, inTar(this.inside(insideDir)), this.phase));
  }

  async putFile(insidePath: string, content: Buffer, mode = 0o644): Promise<void> {
    const path = this.inside(insidePath);
    await this.put(packEntries([], [{ path, content, mode }]));
  }

  async getFile(insidePath: string, maxBytes: number): Promise<Buffer | null> {
    const path = this.inside(insidePath);
    const archive = await this.archive(path);
    return archive === null
      ? null
      : engine('a file cannot be read', this.phase, () => onlyFile(archive, path, maxBytes));
  }

  async list(insideDir: string): Promise<string[]> {
    const archive = await this.archive(this.inside(insideDir));
    return archive === null ? [] : engine('a folder cannot be read', this.phase, () => namesIn(archive, LIST_BOUNDS));
  }

  async fetchFolder(insideDir: string, hostDir: string, bounds: FetchBounds): Promise<void> {
    const path = this.inside(insideDir);
    const archive = await this.archive(path);
    if (archive === null) return;
    const unpacker = new FolderUnpacker(path, hostDir, new FetchMeter(bounds));
    await engine('a folder cannot be fetched', this.phase, async () => {
      await unpacker.unpack(archive);
      for (const name of unpacker.missing) {
        const single = await this.archive(posix.join(path, name));
        if (single !== null) await unpacker.unpackFile(single, name);
      }
    });
  }

  async kill(): Promise<void> {
    await withinTime(REMOVE_MS, () =>
      engine('a sandbox cannot be killed', this.phase, () => killContainer(this.container)),
    );
  }

  async destroy(): Promise<void> {
    await withinTime(REMOVE_MS, () =>
      engine('a sandbox cannot be removed', this.phase, () => removeContainer(this.container)),
    );
  }

  private async put(tar: Readable): Promise<void> {
    await engine('files cannot be put into the sandbox', this.phase, () =>
      this.container.putArchive(tar, { path: '/' }),
    );
  }

  /** Null when there is nothing at that path. */
  private async archive(path: string): Promise<Readable | null> {
    return engine('the sandbox cannot be read', this.phase, async () => {
      try {
        return Readable.from(await this.container.getArchive({ path }));
      } catch (error) {
        // A file where a folder was expected is a 500 with these words.
        if (statusOf(error) === 404 || /: not a directory/.test(String(error))) return null;
        throw error;
      }
    });
  }

  private inside(path: string): string {
    return posix.normalize(isAbsolute(path) ? path : posix.join(this.workdir, path));
  }
}
