import type { Readable } from 'node:stream';
import type * as Sdk from '@aws-sdk/client-s3';
import type { S3Access } from '../artifact-place';
import { CutShort } from './s3-failure';

/** A host that does not take a connection for so long is away. */
const CONNECT_MS = 5_000;
/** A connection on which nothing moves for so long is broken. */
const SILENT_MS = 30_000;

/** What the SDK would tell the console is in the errors that it throws. */
const SILENT = { debug: nothing, info: nothing, warn: nothing, error: nothing };
function nothing(): void {}

/** An object whose first byte is there: its size as the service tells it, and its bytes. */
export interface Arriving {
  readonly size: number;
  /** Rejects with CutShort where the bytes end before `size`. */
  bytes(): AsyncIterable<Buffer>;
  /** Lets go of a body that nobody reads. */
  drop(): void;
}

/**
 * One bucket, through the SDK: the only place that knows its calls. Every method is one try of one request and rejects
 * with what the SDK says.
 */
export class S3Bucket {
  private constructor(
    private readonly sdk: typeof Sdk,
    private readonly client: Sdk.S3Client,
    private readonly name: string,
  ) {}

  /** Loads the SDK, which takes a while, and connects to nothing. */
  static async of(name: string, access: S3Access): Promise<S3Bucket> {
    const sdk = await import('@aws-sdk/client-s3');
    const client = new sdk.S3Client({
      region: access.region,
      forcePathStyle: access.pathStyle,
      ...(access.endpoint === null ? {} : { endpoint: access.endpoint }),
      ...(access.credentials === null ? {} : { credentials: access.credentials }),
      // Tries are counted in one place (withPatience), where bodies that are streams can be sent again.
      maxAttempts: 1,
      // The CRC that the SDK would add is sent in a way that many services do not know; the sha256 below is stronger.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      logger: SILENT,
      requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: SILENT_MS },
    });
    return new S3Bucket(sdk, client, name);
  }

  /**
   * Stores an object, whole or not at all, and refused by the service itself unless its bytes have this sha256 (in hex):
   * it is what the request's signature covers (Signature Version 4, `x-amz-content-sha256`).
   */
  async put(key: string, body: Buffer | Readable, { digest, size }: { digest: string; size: number }): Promise<void> {
    const command = new this.sdk.PutObjectCommand({
      Bucket: this.name,
      Key: key,
      Body: body,
      ContentLength: size,
      ContentType: 'application/octet-stream',
    });
    command.middlewareStack.add(
      (next) => (call) => {
        const { headers } = call.request as { headers: Record<string, string> };
        headers['x-amz-content-sha256'] = digest;
        return next(call);
      },
      { step: 'build', name: 'signedDigest' },
    );
    await this.client.send(command);
  }

  /** Rejects with `NoSuchKey` or `NoSuchBucket` for what is not there. */
  async get(key: string): Promise<Arriving> {
    const answer = await this.client.send(new this.sdk.GetObjectCommand({ Bucket: this.name, Key: key }));
    const body = answer.Body as Readable;
    const size = answer.ContentLength ?? Number.NaN;
    return { size, bytes: () => counted(body, size), drop: () => void body.on('error', () => undefined).destroy() };
  }

  /** Bytes of an object. Rejects with a nameless 404 for what is not there, bucket or object. */
  async size(key: string): Promise<number> {
    const { ContentLength } = await this.client.send(new this.sdk.HeadObjectCommand({ Bucket: this.name, Key: key }));
    return ContentLength ?? Number.NaN;
  }

  /** Resolves when the bucket is there and ours to use. */
  async exists(): Promise<void> {
    try {
      await this.client.send(new this.sdk.HeadBucketCommand({ Bucket: this.name }));
    } catch (error) {
      // An answer to HEAD has no body, and so no name for what is not there.
      if (error instanceof this.sdk.NotFound) throw Object.assign(error, { name: 'NoSuchBucket' });
      throw error;
    }
  }
}

async function* counted(body: Readable, size: number): AsyncGenerator<Buffer> {
  let got = 0;
  try {
    for await (const chunk of body) {
      got += (chunk as Buffer).length;
      yield chunk as Buffer;
    }
  } catch (error) {
    throw new CutShort(got, size, error);
  }
  if (got < size) throw new CutShort(got, size);
}
