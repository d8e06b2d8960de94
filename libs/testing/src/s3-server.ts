import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { S3Server } from '@assay-tools/embedded/s3';
import { PROJECT_ROOT } from './fresh';

/** Found once for all tests of a file; fetched from Python's registry where this machine has none yet. */
let found: { readonly binary: string } | { readonly missing: string } | null = null;

function find(): { readonly binary: string } | { readonly missing: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(PROJECT_ROOT, 'tools/embedded/s3-bin.mjs')], {
    encoding: 'utf8',
  });
  return status === 0 ? { binary: stdout.trim() } : { missing: stderr.trim().split('\n').at(-1) ?? 'no server of S3' };
}

/** Null when a real server of S3 can be started here, else what is missing. It blocks, like `missingTestImage`. */
export function missingS3Server(): string | null {
  found ??= find();
  return 'missing' in found ? found.missing : null;
}

/** A real server of S3 of a test's own, with one bucket, on a port that it keeps over restarts. */
export class TestS3 {
  static readonly BUCKET = 'assay-test';
  readonly accessKeyId = 'assay-test-key';
  readonly secretAccessKey = 'assay-test-secret-canary-5c1e';

  private constructor(
    readonly dir: string,
    private readonly binary: string,
    private server: S3Server,
  ) {}

  static async start(): Promise<TestS3> {
    found ??= find();
    if ('missing' in found) throw new Error(found.missing);
    const dir = await mkdtemp(join(tmpdir(), 'assay-s3-'));
    const { binary } = found;
    const keys = { accessKeyId: 'assay-test-key', secretAccessKey: 'assay-test-secret-canary-5c1e' };
    const { startS3 } = await import('@assay-tools/embedded/s3');
    const server = await startS3({ binary, dir: join(dir, 's3'), bucket: TestS3.BUCKET, ...keys });
    return new TestS3(dir, binary, server);
  }

  get endpoint(): string {
    return this.server.url;
  }

  /** Writes the two key files that services read; resolves the settings that name store, endpoint and keys. */
  async settings(prefix: string): Promise<Record<string, string>> {
    const [id, secret] = [join(this.dir, 'key-id'), join(this.dir, 'secret-key')];
    await writeFile(id, this.accessKeyId, { mode: 0o600 });
    await writeFile(secret, this.secretAccessKey, { mode: 0o600 });
    return {
      ASSAY_ARTIFACTS: `s3://${TestS3.BUCKET}/${prefix}`,
      ASSAY_S3_ENDPOINT: this.endpoint,
      ASSAY_S3_ACCESS_KEY_ID_FILE: id,
      ASSAY_S3_SECRET_ACCESS_KEY_FILE: secret,
    };
  }

  /** Every object of the bucket, with its whole content. */
  async objects(): Promise<{ readonly key: string; readonly content: Buffer }[]> {
    const { GetObjectCommand, paginateListObjectsV2, S3Client } = await import('@aws-sdk/client-s3');
    const { accessKeyId, secretAccessKey, endpoint } = this;
    const client = new S3Client({
      ...{ endpoint, region: 'us-east-1', forcePathStyle: true },
      credentials: { accessKeyId, secretAccessKey },
    });
    const found: { key: string; content: Buffer }[] = [];
    for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket: TestS3.BUCKET })) {
      for (const { Key = '' } of Contents) {
        const { Body } = await client.send(new GetObjectCommand({ Bucket: TestS3.BUCKET, Key }));
        found.push({ key: Key, content: Buffer.from((await Body?.transformToByteArray()) ?? []) });
      }
    }
    client.destroy();
    return found;
  }

  /** Ends the server by SIGKILL; what it holds stays. */
  kill(): Promise<void> {
    return this.server.kill();
  }

  /** Starts it again on the same port. */
  async restart(): Promise<void> {
    const { accessKeyId, secretAccessKey, binary, dir } = this;
    const { port } = this.server;
    const bucket = TestS3.BUCKET;
    const { startS3 } = await import('@assay-tools/embedded/s3');
    this.server = await startS3({ binary, dir: join(dir, 's3'), bucket, accessKeyId, secretAccessKey, port });
  }

  async stop(): Promise<void> {
    await this.server.stop();
    await rm(this.dir, { recursive: true, force: true });
  }
}
