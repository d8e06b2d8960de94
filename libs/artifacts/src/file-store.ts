import { createHash } from 'node:crypto';
import { access, constants, readFile, rename, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ArtifactRef, Digest, type Namespace } from '@assay/contracts';
import type { ArtifactCondition, ArtifactStore } from './artifact-store.port';
import { BlobLanding, type Rename } from './blob-landing';
import { digestFile } from './digest-file';
import { diskFailure, isMissing } from './disk-failure';
import { appearWhole } from './fetched-file';
import { type Content, verify, verifyBound, verifySize, type Wanted } from './held-content';
import { writeSynced } from './synced-file';

export interface FileArtifactStoreOptions {
  /** Folder that all services of a deployment share; made when absent. */
  readonly dir: string;
  readonly namespace: Namespace;
}

/**
 * Artifacts as files: `<dir>/<namespace>/<first two digits>/<digest>`; equal content put twice, by whomever, is one file.
 * The mount needs no chmod, chown, links or rename: see BlobLanding.
 */
export class FileArtifactStore implements ArtifactStore {
  private readonly root: string;
  private readonly landing: BlobLanding;

  /** @param move the system's rename; a test puts one in its place that refuses as some mounts do */
  constructor({ dir, namespace }: FileArtifactStoreOptions, move: Rename = rename) {
    this.root = join(resolve(dir), namespace);
    this.landing = new BlobLanding(this.root, (digest) => this.file(digest), move);
  }

  /** Throws InfraError `disk_full` or `artifact_io`; a part that stays (BlobLanding tells when) is never taken for whole. */
  async put(name: string, mediaType: string, content: Content): Promise<ArtifactRef> {
    const described = ArtifactRef.pick({ name: true, mediaType: true }).parse({ name, mediaType });
    try {
      return ArtifactRef.parse({ ...described, ...(await this.landing.land(content)) });
    } catch (error) {
      throw diskFailure('an artifact could not be stored', error, { name });
    }
  }

  /** Throws ContractError `artifact_missing`, `artifact_corrupt`, or `artifact_too_large` beyond `maxBytes`. */
  async get(ref: Wanted, maxBytes = Number.POSITIVE_INFINITY): Promise<Buffer> {
    verifyBound(ref, maxBytes);
    verifySize(ref, await this.stat(ref.digest));
    const content = await readFile(this.file(ref.digest)).catch((error: unknown) => {
      throw diskFailure('an artifact could not be read', error, { ...ref });
    });
    verify(ref, { digest: createHash('sha256').update(content).digest('hex'), size: content.length });
    return content;
  }

  /** Like `get`, straight into a file of the host, which appears whole or not at all. */
  async fetchTo(ref: Wanted, file: string): Promise<void> {
    verifySize(ref, await this.stat(ref.digest));
    try {
      await appearWhole(file, ref, (aside) => writeSynced(aside, { file: this.file(ref.digest) }));
    } catch (error) {
      throw diskFailure('an artifact could not be fetched', error, { ...ref });
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

  /** Throws InfraError `artifact_io` where the folder cannot be made or written to. */
  async check(): Promise<void> {
    try {
      await this.landing.ready();
      await access(this.root, constants.R_OK | constants.W_OK | constants.X_OK);
    } catch (error) {
      throw diskFailure(`the artifact store's folder ${this.root} cannot be used`, error, { dir: this.root });
    }
  }

  private file(digest: string): string {
    return join(this.root, digest.slice(0, 2), digest);
  }
}
