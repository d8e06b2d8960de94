import { chmod, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { HostLock } from './host-lock';

/** A half-made folder that nothing has touched for so long was left by somebody who was killed. */
const ABANDONED_MS = 3_600_000;

/** Folders that are there whole or not at all, each made once, by whoever comes first. */
export class LayerFolder {
  constructor(private readonly dir: string) {}

  /**
   * The folder of this id, made by `build` in an empty one if it is not there. Others who ask meanwhile, in this process or
   * another, wait; when the one who builds fails or dies, the next tries.
   */
  async ensure(id: string, signal: AbortSignal, build: (dir: string) => Promise<void>): Promise<string> {
    const final = join(this.dir, id);
    for (;;) {
      if (await exists(final)) return final;
      const lock = await HostLock.takeOrWait(final, signal);
      if (lock === null) continue;
      try {
        if (!(await exists(final))) await this.build(id, final, build);
        return final;
      } finally {
        lock.release();
      }
    }
  }

  private async build(id: string, final: string, build: (dir: string) => Promise<void>): Promise<void> {
    await mkdir(this.dir, { recursive: true });
    await this.sweep();
    // Between containers that share the folder the lock does not hold, so each host has a name of its own.
    const partial = join(this.dir, `.${id}.${hostname()}.partial`);
    await rm(partial, { recursive: true, force: true });
    await mkdir(partial);
    await chmod(partial, 0o755); // whatever the umask: other users read it in their sandboxes
    try {
      await build(partial);
      await rename(partial, final);
    } catch (error) {
      await rm(partial, { recursive: true, force: true });
      // Another host was faster: what it made is the same.
      if (!(await exists(final))) throw error;
    }
  }

  private async sweep(): Promise<void> {
    for (const name of await readdir(this.dir)) {
      if (!name.endsWith('.partial')) continue;
      const path = join(this.dir, name);
      const age = await stat(path).then(
        ({ mtimeMs }) => Date.now() - mtimeMs,
        () => 0,
      );
      if (age > ABANDONED_MS) await rm(path, { recursive: true, force: true });
    }
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}
