import { Namespace } from '@assay/contracts';
import { describeNeeding, freePort, missingS3Server, TestS3 } from '@assay/testing';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ExitError, UsageError } from '../output';
import { requireArtifacts } from './given-artifacts';

const namespace = Namespace.parse('assay');
let dir: string;
const kept = { ...process.env };
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'assay-given-'));
  // No key of this machine, and nobody who is asked for one.
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, { AWS_EC2_METADATA_DISABLED: 'true', AWS_SHARED_CREDENTIALS_FILE: '/nowhere', HOME: dir });
});
afterEach(() => {
  rmSync(dir, { recursive: true });
  process.env = { ...kept };
});

async function refused(env: NodeJS.ProcessEnv): Promise<Error> {
  try {
    await requireArtifacts(env, namespace);
  } catch (error) {
    return error as Error;
  }
  throw new Error('expected a refusal');
}

test('without a store of the user nothing is asked, and a folder is made and taken', async () => {
  await requireArtifacts({}, namespace);
  await requireArtifacts({ ASSAY_ARTIFACTS: '' }, namespace);
  await requireArtifacts({ ASSAY_ARTIFACTS: join(dir, 'artifacts') }, namespace);
});

test.each([
  [
    { ASSAY_ARTIFACTS: 's3://' },
    'ASSAY_ARTIFACTS: expected a folder, or s3://bucket, or s3://bucket/prefix, got "s3://"',
  ],
  [
    { ASSAY_ARTIFACTS: 'gs://bucket' },
    'ASSAY_ARTIFACTS: expected a folder, or s3://bucket, or s3://bucket/prefix, got "gs://bucket"',
  ],
  [
    { ASSAY_ARTIFACTS: 's3://bucket', ASSAY_S3_ENDPOINT: 'store:9000' },
    'ASSAY_S3_ENDPOINT: expected a URL that begins with http:// or https://, got "store:9000"',
  ],
  [
    { ASSAY_ARTIFACTS: 's3://bucket', ASSAY_S3_ACCESS_KEY_ID_FILE: '/nowhere/id' },
    'ASSAY_S3_ACCESS_KEY_ID_FILE: expected the path of a file with the secret (mode 0600, 0440 or 0400, no link), but ' +
      '/nowhere/id does not exist, got "/nowhere/id"',
  ],
])('%j is a wrong setting, told by name, value and expectation', async (env, message) => {
  const error = await refused(env);
  expect(error).toBeInstanceOf(UsageError);
  expect(error.message).toBe(message);
});

test('a folder that cannot be used is told', async () => {
  writeFileSync(join(dir, 'file'), '');
  const place = join(dir, 'file/artifacts');
  const error = await refused({ ASSAY_ARTIFACTS: place });
  expect(error).toEqual(expect.objectContaining({ code: 1 }) as ExitError);
  expect(error.message).toContain(`ASSAY_ARTIFACTS: expected an artifact store that can be used, got "${place}": `);
});

test('a bucket whose server does not answer is told with the endpoint', async () => {
  const endpoint = `http://127.0.0.1:${await freePort()}`;
  for (const name of ['id', 'key']) writeFileSync(join(dir, name), 'canary', { mode: 0o600 });
  const error = await refused({
    ...{ ASSAY_ARTIFACTS: 's3://bucket', ASSAY_S3_ENDPOINT: endpoint },
    ...{ ASSAY_S3_ACCESS_KEY_ID_FILE: join(dir, 'id'), ASSAY_S3_SECRET_ACCESS_KEY_FILE: join(dir, 'key') },
  });
  expect(error).toBeInstanceOf(ExitError);
  expect(error.message).toMatch(
    /^ASSAY_ARTIFACTS: .* at ASSAY_S3_ENDPOINT "http:\/\/127\.0\.0\.1:\d+": .*ECONNREFUSED/,
  );
  expect(error.message).not.toMatch(/canary|\n/);
});

test('a bucket without any key is told, and keys of the environment are no keys of the services', async () => {
  const env = { ASSAY_ARTIFACTS: 's3://bucket', ASSAY_S3_ENDPOINT: `http://127.0.0.1:${await freePort()}` };
  const without = await refused(env);
  expect(without.message).toMatch(/^ASSAY_ARTIFACTS: expected .* got "s3:\/\/bucket".*[Cc]redentials/);
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'id-canary', AWS_SECRET_ACCESS_KEY: 'secret-canary' });
  const error = await refused({ ...process.env, ...env });
  expect(error.message).toContain(
    'AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY are set here, but services have no secret in their environment: ' +
      'use ASSAY_S3_ACCESS_KEY_ID_FILE and ASSAY_S3_SECRET_ACCESS_KEY_FILE',
  );
  expect(error.message).not.toContain('canary');
});

describeNeeding(missingS3Server(), 'with a real server of S3', () => {
  let s3: TestS3;
  beforeAll(async () => {
    s3 = await TestS3.start();
  });
  afterAll(() => s3.stop());

  test('a bucket that is there is taken, and another one is told to be missing or denied', async () => {
    const settings = await s3.settings('some/prefix');
    await requireArtifacts(settings, namespace);
    const { message } = await refused({ ...settings, ASSAY_ARTIFACTS: 's3://another-bucket' });
    expect(message).toMatch(/^ASSAY_ARTIFACTS: expected .* got "s3:\/\/another-bucket" at ASSAY_S3_ENDPOINT /);
  });
});
