import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Digest, Namespace } from '@assay/contracts';
import { InfraError } from '@assay/failures';
import { describeNeeding, freePort, missingS3Server, TestS3 } from '@assay/testing';
import type { ArtifactPlace } from '../artifact-place';
import { type Fault, S3Between } from '../harness/s3-between';
import { placeOf } from '../harness/s3-place';
import { S3ArtifactStore } from './s3-store';

const SLOW: Fault = { kind: 'answer', status: 503, code: 'SlowDown' };
const failure = async (work: Promise<unknown>): Promise<InfraError> => {
  const error: unknown = await work.catch((thrown: unknown) => thrown);
  if (error instanceof InfraError) return error;
  throw new Error(`no failure of ours: ${String(error)}`);
};
const open = ({ location, access }: ArtifactPlace & { kind: 's3' }): Promise<S3ArtifactStore> =>
  S3ArtifactStore.open({
    location,
    access,
    namespace: Namespace.parse('one'),
    patience: { tries: 3, firstPauseMs: 5 },
  });

describeNeeding(missingS3Server(), 'a bucket whose service has trouble', () => {
  let s3: TestS3;
  let between: S3Between;
  let store: S3ArtifactStore;
  let dir: string;
  beforeAll(async () => {
    s3 = await TestS3.start();
    between = await S3Between.start(s3.endpoint);
    store = await open(placeOf(s3, 'faults', between.url));
    dir = await mkdtemp(join(tmpdir(), 'assay-faults-'));
  });
  afterAll(async () => {
    await between.stop();
    await s3.stop();
    await rm(dir, { recursive: true, force: true });
  });
  beforeEach(() => {
    between.next();
  });

  test.each<[string, Fault]>([
    ['SlowDown', SLOW],
    ['InternalError', { kind: 'answer', status: 500, code: 'InternalError' }],
    ['a connection that ends', { kind: 'hang up' }],
    ['a gateway that lost its server', { kind: 'answer', status: 502, code: 'BadGateway' }],
  ])('passes: %s twice is overcome by a third try, for bytes and for files', async (_name, fault) => {
    const content = randomBytes(100_000);
    await writeFile(join(dir, 'source'), content);
    for (const source of [content, { file: join(dir, 'source') }]) {
      between.next(fault, fault);
      const ref = await store.put('patch', 'text/plain', source);
      expect(between.seen).toEqual(['PUT', 'PUT', 'PUT']);
      between.next(fault, fault);
      expect((await store.get(ref)).equals(content)).toBe(true);
      between.next(fault);
      expect(await store.stat(ref.digest)).toBe(100_000);
    }
  });

  test.each<[string, Fault, string]>([
    ['SlowDown', SLOW, 'store_busy'],
    ['too many requests', { kind: 'answer', status: 429, code: 'TooManyRequests' }, 'store_busy'],
    ['InternalError', { kind: 'answer', status: 500, code: 'InternalError' }, 'artifact_io'],
    ['hanging up', { kind: 'hang up' }, 'store_unreachable'],
  ])('does not pass: %s at every try is told after the third', async (_name, fault, code) => {
    between.next(fault, fault, fault, fault);
    expect(await failure(store.put('patch', 'text/plain', Buffer.from('x')))).toMatchObject({ code });
    expect(between.seen).toHaveLength(3);
  });

  test.each<[string, Fault, string]>([
    ['no room', { kind: 'answer', status: 507, code: 'InsufficientStorage' }, 'store_full'],
    ['a quota that is used up', { kind: 'answer', status: 403, code: 'QuotaExceeded' }, 'store_full'],
    ['a full disk of MinIO', { kind: 'answer', status: 507, code: 'XMinioStorageFull' }, 'store_full'],
    ['credentials that ended', { kind: 'answer', status: 403, code: 'ExpiredToken' }, 'store_denied'],
    ['a clock that is wrong', { kind: 'answer', status: 403, code: 'RequestTimeTooSkewed' }, 'store_denied'],
    ['a request it does not know', { kind: 'answer', status: 400, code: 'InvalidRequest' }, 'artifact_io'],
    ['another region', { kind: 'answer', status: 400, code: 'AuthorizationHeaderMalformed' }, 'artifact_io'],
  ])('%s is told at once, with what the service calls it', async (_name, fault, code) => {
    between.next(fault);
    const error = await failure(store.put('patch', 'text/plain', Buffer.from('x')));
    expect(error).toMatchObject({ code, details: { answer: (fault as { code: string }).code } });
    expect(error.message).toContain('as the test wants');
    expect(between.seen).toEqual(['PUT']);
  });

  test('what was damaged on its way is refused by the service and sent again', async () => {
    const content = randomBytes(50_000);
    between.next({ kind: 'damage' });
    const ref = await store.put('patch', 'text/plain', content);
    expect(between.seen).toEqual(['PUT', 'PUT']);
    expect((await store.get(ref)).equals(content)).toBe(true);
    between.next({ kind: 'damage' }, { kind: 'damage' }, { kind: 'damage' });
    const lost = Buffer.from('never whole');
    expect(await failure(store.put('patch', 'text/plain', lost))).toMatchObject({ code: 'artifact_io' });
    expect(await store.stat(createHash('sha256').update(lost).digest('hex'))).toBeNull();
  });

  test('an answer that is cut is read again, and told when it is cut every time', async () => {
    const content = randomBytes(3_000_000);
    const ref = await store.put('agent_log', 'text/plain', content);
    const cut: Fault = { kind: 'cut', after: 1_000_000 };
    between.next(cut, cut);
    expect((await store.get(ref)).equals(content)).toBe(true);
    between.next(cut);
    expect(await store.inspect(ref)).toBe('whole');
    const reads = [() => store.get(ref), () => store.inspect(ref), () => store.fetchTo(ref, join(dir, 'cut'))];
    for (const read of reads) {
      between.next(cut, cut, cut);
      const error = await failure(read());
      expect(error.code).toBe('store_cut_short');
      expect(error.message).toMatch(/of 3000000 bytes/);
      expect(between.seen).toHaveLength(3);
    }
    expect((await readdir(dir)).filter((name) => name.includes('cut'))).toEqual([]);
  });
});

describeNeeding(missingS3Server(), 'a bucket that cannot be used', () => {
  let s3: TestS3;
  beforeAll(async () => {
    s3 = await TestS3.start();
  });
  afterAll(() => s3.stop());
  const ref = { digest: 'ab'.repeat(32) as Digest, size: 1 };
  const everyCall = (store: S3ArtifactStore): (() => Promise<unknown>)[] => [
    () => store.put('patch', 'text/plain', Buffer.from('x')),
    () => store.get(ref),
    () => store.stat(ref.digest),
    () => store.inspect(ref),
    () => store.check(),
  ];

  test('because it does not exist is a failure of ours, never a missing artifact', async () => {
    const place = placeOf(s3);
    const store = await open({ ...place, location: { bucket: 'not-there', prefix: '' } });
    for (const call of everyCall(store)) {
      expect(await failure(call())).toMatchObject({ code: 'store_bucket_missing' });
    }
  });

  test('because the key is wrong is a failure of ours, told without the key', async () => {
    const place = placeOf(s3);
    const credentials = { accessKeyId: s3.accessKeyId, secretAccessKey: 'wrong-canary' };
    const store = await open({ ...place, access: { ...place.access, credentials } });
    for (const call of everyCall(store)) {
      const error = await failure(call());
      expect(error).toMatchObject({ code: 'store_denied' });
      expect(JSON.stringify(error.toFailure())).not.toContain('canary');
    }
  });

  test('because nobody answers is a failure of ours, until somebody does', async () => {
    const nobody = await open(placeOf(s3, 'x', `http://127.0.0.1:${await freePort()}`));
    for (const call of everyCall(nobody)) expect(await failure(call())).toMatchObject({ code: 'store_unreachable' });
    const store = await open(placeOf(s3, 'restarted'));
    const kept = await store.put('patch', 'text/plain', Buffer.from('kept'));
    await s3.kill();
    expect(await failure(store.get(kept))).toMatchObject({ code: 'store_unreachable' });
    await s3.restart();
    expect(await store.get(kept)).toEqual(Buffer.from('kept'));
  });
});

test('without keys anywhere the SDK finds none, and says so', async () => {
  const env = {
    AWS_SHARED_CREDENTIALS_FILE: '/nowhere',
    AWS_CONFIG_FILE: '/nowhere',
    AWS_EC2_METADATA_DISABLED: 'true',
  };
  const replaced = jest.replaceProperty(process, 'env', env);
  try {
    const access = { endpoint: 'http://127.0.0.1:1', region: 'us-east-1', pathStyle: true, credentials: null };
    const store = await open({ kind: 's3', location: { bucket: 'bucket', prefix: '' }, access });
    expect(await failure(store.check())).toMatchObject({ code: 'store_denied' });
  } finally {
    replaced.restore();
  }
});
