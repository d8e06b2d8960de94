import { createHash, randomUUID } from 'node:crypto';
import { mkdir, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { InfraError } from '@assay/failures';
import { digestFile } from './digest-file';
import { isMissing } from './disk-failure';
import type { Content, Measured } from './held-content';
import { ifAble } from './mount-limits';
import { discard, readyAside, syncFolder, writeInPlace, writeSynced } from './synced-file';

/** The one call that mounts differ in so much that there are two ways to store. */
export type Rename = (from: string, to: string) => Promise<void>;

/**
 * How content becomes a blob of the folder `root`. Where the mount can rename, it is written aside first, so that a name
 * that exists names whole content. Where it cannot (found out at the first blob), it is measured where it lies and then
 * written under its name: a process that dies meanwhile leaves a part, which size and digest tell from a whole one, and
 * which the next put of that content completes.
 */
export class BlobLanding {
  private readonly aside: string;
  private asideReady: Promise<void> | null = null;
  private renames = true;

  constructor(
    private readonly root: string,
    private readonly fileOf: (digest: string) => string,
    private readonly move: Rename = rename,
  ) {
    this.aside = join(root, 'aside');
  }

  /** Makes what it needs in the folder. */
  async ready(): Promise<void> {
    this.asideReady ??= readyAside(this.aside);
    try {
      await this.asideReady;
    } catch (error) {
      this.asideReady = null;
      throw error;
    }
  }

  /** Rejects with the disk's error; what was written aside is gone then. */
  async land(content: Content): Promise<Measured> {
    await this.ready();
    if (this.renames) {
      const landed = await this.byRename(content);
      if (landed !== null) return landed;
      this.renames = false;
    }
    return this.inPlace(content);
  }

  /** Null: this mount renames nothing. A blob that stands there is replaced: a damaged one heals by a new put. */
  private async byRename(content: Content): Promise<Measured | null> {
    const aside = join(this.aside, randomUUID());
    try {
      const measured = await writeSynced(aside, content).catch((error: unknown) => {
        this.asideReady = null;
        throw error;
      });
      const file = this.fileOf(measured.digest);
      if (!(await ifAble(() => this.moved(aside, file)))) return null;
      await syncFolder(dirname(file));
      return measured;
    } finally {
      await discard(aside);
    }
  }

  /** The folder is nearly always there, so it is made only when it is found missing. */
  private async moved(aside: string, file: string): Promise<void> {
    try {
      await this.move(aside, file);
    } catch (error) {
      if (!isMissing(error)) throw error;
      await mkdir(dirname(file), { recursive: true });
      await syncFolder(this.root);
      await this.move(aside, file);
    }
  }

  private async inPlace(content: Content): Promise<Measured> {
    const measured = await measure(content);
    const file = this.fileOf(measured.digest);
    await mkdir(dirname(file), { recursive: true });
    if (await holds(file, measured)) return measured;
    const written = await writeInPlace(file, content);
    if (written.digest !== measured.digest) {
      throw new InfraError('a file changed while it was stored', {
        code: 'artifact_io',
        phase: 'upload',
        details: { measured, written },
      });
    }
    await syncFolder(dirname(file));
    return measured;
  }
}

/** Sha256 and size of content where it lies. Rejects with the system's error. */
export async function measure(content: Content): Promise<Measured> {
  if (!Buffer.isBuffer(content)) return digestFile(content.file, (await stat(content.file)).size);
  return { digest: createHash('sha256').update(content).digest('hex'), size: content.length };
}

async function holds(file: string, { digest, size }: Measured): Promise<boolean> {
  try {
    return (await stat(file)).size === size && (await digestFile(file, size)).digest === digest;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
