import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { ArtifactRef, Digest, type Namespace } from '@assay/contracts';
import { ContractError } from '@assay/failures';
import type { S3Access, S3Location } from '../artifact-place';
import type { ArtifactCondition, ArtifactStore } from '../artifact-store.port';
import { measure } from '../blob-landing';
import { appearWhole } from '../fetched-file';
import { type Content, type Measured, verify, verifyBound, verifySize, type Wanted } from '../held-content';
import { HASTY, type Patience, PATIENT, withPatience } from './retries';
import { type Arriving, S3Bucket } from './s3-bucket';
import { isNoKey, isNotFound, isPassing, storeFailure } from './s3-failure';

export interface S3ArtifactStoreOptions {
  readonly location: S3Location;
  readonly access: S3Access;
  readonly namespace: Namespace;
  readonly patience?: Patience;
}

/** What S3 takes in one request; larger ones would need parts, and then a half could stay behind. */
const LARGEST = 5 * 1024 ** 3;

/**
 * Artifacts as objects: `<prefix>/<namespace>/<first two digits>/<digest>`, one request each, so that the service
 * itself keeps them whole or not at all. What passes by itself (no answer, SlowDown, 5xx, a body cut short) is tried
 * again, a few times.
 */
export class S3ArtifactStore implements ArtifactStore {
  private constructor(
    private readonly bucket: S3Bucket,
    private readonly root: string,
    private readonly patience: Patience,
  ) {}

  /** Loads the SDK; `check` looks whether the bucket can be used. */
  static async open({ location, access, namespace, patience }: S3ArtifactStoreOptions): Promise<S3ArtifactStore> {
    const root = location.prefix === '' ? namespace : `${location.prefix}/${namespace}`;
    return new S3ArtifactStore(await S3Bucket.of(location.bucket, access), root, patience ?? PATIENT);
  }

  /** Reads a file twice: for its digest, which is its key, and to send it. Throws ContractError beyond 5 GiB. */
  async put(name: string, mediaType: string, content: Content): Promise<ArtifactRef> {
    const described = ArtifactRef.pick({ name: true, mediaType: true }).parse({ name, mediaType });
    const sent = await this.tried('an artifact could not be stored', { name }, async () => {
      const measured = await measure(content);
      refuseTooLarge(measured);
      const body = Buffer.isBuffer(content) ? content : createReadStream(content.file, { highWaterMark: 1 << 20 });
      await this.bucket.put(this.key(measured.digest), body, measured);
      return measured;
    });
    return ArtifactRef.parse({ ...described, ...sent });
  }

  /** Throws ContractError `artifact_missing`, `artifact_corrupt`, or `artifact_too_large` beyond `maxBytes`. */
  async get(ref: Wanted, maxBytes = Number.POSITIVE_INFINITY): Promise<Buffer> {
    verifyBound(ref, maxBytes);
    return this.tried('an artifact could not be read', { ...ref }, async () => {
      const chunks: Buffer[] = [];
      verify(
        ref,
        await measured(await this.wanted(ref), (chunk) => {
          chunks.push(chunk);
        }),
      );
      return Buffer.concat(chunks);
    });
  }

  /** Like `get`, straight into a file of the host, which appears whole or not at all. */
  fetchTo(ref: Wanted, file: string): Promise<void> {
    return this.tried('an artifact could not be fetched', { ...ref }, async () => {
      const arriving = await this.wanted(ref);
      await appearWhole(file, ref, (aside) => written(aside, arriving));
    });
  }

  stat(digest: string): Promise<number | null> {
    if (!Digest.safeParse(digest).success) return Promise.resolve(null);
    return this.tried('an artifact could not be looked up', { digest }, async () => {
      try {
        return await this.bucket.size(this.key(digest));
      } catch (error) {
        if (!isNotFound(error)) throw error;
        await this.bucket.exists();
        return null;
      }
    });
  }

  inspect(ref: Wanted): Promise<ArtifactCondition> {
    return this.tried('an artifact could not be read', { ...ref }, async () => {
      const arriving = await this.found(ref.digest);
      if (arriving === null) return 'missing';
      if (arriving.size !== ref.size) {
        arriving.drop();
        return 'corrupt';
      }
      const { digest } = await measured(arriving, () => undefined);
      return digest === ref.digest ? 'whole' : 'corrupt';
    });
  }

  /** Throws InfraError `store_unreachable`, `store_denied`, `store_bucket_missing`, … */
  async check(): Promise<void> {
    try {
      await withPatience(HASTY, isPassing, () => this.bucket.exists());
    } catch (error) {
      throw storeFailure('the artifact store cannot be used', error, {});
    }
  }

  private key(digest: string): string {
    return `${this.root}/${digest.slice(0, 2)}/${digest}`;
  }

  private async wanted(ref: Wanted): Promise<Arriving> {
    const arriving = await this.found(ref.digest);
    try {
      verifySize(ref, arriving?.size ?? null);
    } catch (error) {
      arriving?.drop();
      throw error;
    }
    return arriving as Arriving;
  }

  /** Null: no such object, or no digest at all. */
  private async found(digest: string): Promise<Arriving | null> {
    if (!Digest.safeParse(digest).success) return null;
    try {
      return await this.bucket.get(this.key(digest));
    } catch (error) {
      if (isNoKey(error)) return null;
      throw error;
    }
  }

  private async tried<T>(message: string, details: Record<string, unknown>, work: () => Promise<T>): Promise<T> {
    try {
      return await withPatience(this.patience, isPassing, work);
    } catch (error) {
      throw storeFailure(message, error, details);
    }
  }
}

async function measured(arriving: Arriving, take: (chunk: Buffer) => void | Promise<void>): Promise<Measured> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of arriving.bytes()) {
    hash.update(chunk);
    size += chunk.length;
    await take(chunk);
  }
  return { digest: hash.digest('hex'), size };
}

async function written(file: string, arriving: Arriving): Promise<Measured> {
  const handle = await open(file, 'wx', 0o644);
  try {
    const found = await measured(arriving, (chunk) => handle.writeFile(chunk));
    await handle.sync();
    return found;
  } finally {
    await handle.close();
  }
}

function refuseTooLarge({ digest, size }: Measured): void {
  if (size <= LARGEST) return;
  throw new ContractError(`an artifact of ${size} bytes is larger than the ${LARGEST} that S3 takes at once`, {
    code: 'artifact_too_large',
    phase: 'upload',
    details: { digest, size },
  });
}
