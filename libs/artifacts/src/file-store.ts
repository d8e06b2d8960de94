import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { ArtifactRef, Digest, type Namespace } from '@assay/contracts';
import { ContractError, type FailureCode } from '@assay/failures';
import type { ArtifactCondition, ArtifactStore } from './artifact-store.port';
import { digestFile } from './digest-file';
import { diskFailure, isMissing } from './disk-failure';
import { discard, readyAside, syncFolder, writeSynced } from './synced-file';

export interface FileArtifactStoreOptions {
  /** Folder that all services of a deployment share; made when absent. */
  readonly dir: string;
  readonly namespace: Namespace;
}

type Content = Buffer | { file: string };
type Wanted = Pick<ArtifactRef, 'digest' | 'size'>;

/**
 * Artifacts as files: `<dir>/<namespace>/<first two digits>/<digest>`. A blob is written aside, synced, renamed, and its
 * folder synced, so a name that exists names whole content; equal content put twice, by whomever, is one file.
 */
export class FileArtifactStore implements ArtifactStore {
  private readonly root: string;
  private readonly aside: string;
  private asideReady: Promise<void> | null = null;

  constructor({ dir, namespace }: FileArtifactStoreOptions) {
    this.root = join(resolve(dir), namespace);
    this.aside = join(this.root, 'aside');
  }

  /** Throws InfraError `disk_full` or `artifact_io` with nothing left half-written. */
  async put(name: string, mediaType: string, content: Content): Promise<ArtifactRef> {
    const described = ArtifactRef.pick({ name: true, mediaType: true }).parse({ name, mediaType });
    const aside = join(this.aside, randomUUID());
    try {
      await (this.asideReady ??= readyAside(this.aside));
      const { digest, size } = await writeSynced(aside, content);
      await this.adopt(aside, digest);
      return ArtifactRef.parse({ ...described, digest, size });
    } catch (error) {
      this.asideReady = null;
      await discard(aside);
      throw diskFailure('an artifact could not be stored', error, { name });
    }
  }

  /** Throws ContractError `artifact_missing`, `artifact_corrupt`, or `artifact_too_large` beyond `maxBytes`. */
  async get(ref: Wanted, maxBytes = Number.POSITIVE_INFINITY): Promise<Buffer> {
    if (ref.size > maxBytes) {
      throw contract('artifact_too_large', `an artifact is larger than the ${maxBytes} bytes allowed here`, ref);
    }
    await this.expectSize(ref);
    const content = await readFile(this.file(ref.digest)).catch((error: unknown) => {
      throw diskFailure('an artifact could not be read', error, { ...ref });
    });
    verify(ref, createHash('sha256').update(content).digest('hex'), content.length);
    return content;
  }

  /** Like `get`, straight into a file of the host, which appears whole or not at all. */
  async fetchTo(ref: Wanted, file: string): Promise<void> {
    await this.expectSize(ref);
    const aside = join(dirname(resolve(file)), `.${basename(file)}.${randomUUID()}`);
    try {
      const { digest, size } = await writeSynced(aside, { file: this.file(ref.digest) });
      verify(ref, digest, size);
      await rename(aside, file);
    } catch (error) {
      throw diskFailure('an artifact could not be fetched', error, { ...ref });
    } finally {
      await discard(aside);
    }
  }

  async stat(digest: string): Promise<number | null> {
    if (!Digest.safeParse(digest).success) return null;
    try {
      return (await stat(this.file(digest))).size;
    } catch (error) {
      if (isMissing(error)) return null;
      throw diskFailure('an artifact could not be looked up', error, { digest });
    }
  }

  /** Throws InfraError `artifact_io` when it is there and cannot be read. */
  async inspect({ digest, size }: Wanted): Promise<ArtifactCondition> {
    if (!Digest.safeParse(digest).success) return 'missing';
    try {
      const found = await digestFile(this.file(digest), size);
      return found.digest === digest && found.size === size ? 'whole' : 'corrupt';
    } catch (error) {
      if (isMissing(error)) return 'missing';
      throw diskFailure('an artifact could not be read', error, { digest, size });
    }
  }

  private file(digest: string): string {
    return join(this.root, digest.slice(0, 2), digest);
  }

  private async expectSize(ref: Wanted): Promise<void> {
    const digest = Digest.safeParse(ref.digest);
    const size = digest.success ? await this.stat(digest.data) : null;
    if (size === null) throw contract('artifact_missing', 'an artifact is not in the store', ref);
    if (size !== ref.size) {
      throw contract('artifact_corrupt', `an artifact has ${size} bytes instead of ${ref.size}`, ref);
    }
  }

  /** Gives a written blob its name. One that stands there already is replaced: a damaged blob heals by a new put. */
  private async adopt(aside: string, digest: string): Promise<void> {
    const file = this.file(digest);
    const made = await this.renamed(aside, file);
    await syncFolder(dirname(file));
    if (made) await syncFolder(this.root);
  }

  /** Resolves whether the folder had to be made: nearly always it is there. */
  private async renamed(aside: string, file: string): Promise<boolean> {
    try {
      await rename(aside, file);
      return false;
    } catch (error) {
      if (!isMissing(error)) throw error;
      const made = await mkdir(dirname(file), { recursive: true });
      await rename(aside, file);
      return made !== undefined;
    }
  }
}

function verify(ref: Wanted, digest: string, size: number): void {
  if (digest === ref.digest && size === ref.size) return;
  throw contract('artifact_corrupt', 'an artifact does not hold what its digest says', ref);
}

function contract(code: FailureCode, message: string, { digest, size }: Wanted): ContractError {
  return new ContractError(message, { code, phase: 'upload', details: { digest, size } });
}
