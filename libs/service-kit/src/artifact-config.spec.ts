import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { artifactPlace, commonConfig, loadConfig, oneArtifactStore } from './index';

const schema = oneArtifactStore(z.object(commonConfig('grader')));
const placeOf = (env: NodeJS.ProcessEnv) =>
  artifactPlace(loadConfig(schema, { NATS_URL: 'nats://127.0.0.1:4222', ...env }));
const refusal = (env: NodeJS.ProcessEnv): string[] => {
  try {
    placeOf(env);
  } catch (error) {
    return (error as Error).message.split('\n').slice(1);
  }
  throw new Error('the settings were taken');
};

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'assay-keys-'));
  for (const name of ['id', 'secret']) writeFileSync(join(dir, name), `the-${name}\n`, { mode: 0o600 });
});
afterAll(() => {
  rmSync(dir, { recursive: true });
});

test.each([
  [{ ASSAY_ARTIFACTS: '/var/a' }, '/var/a'],
  [{ ASSAY_ARTIFACTS: 'state/a' }, resolve('state/a')],
  [{ ASSAY_ARTIFACTS: './s3' }, resolve('s3')],
  [{ ASSAY_ARTIFACTS_DIR: '/var/a' }, '/var/a'],
])('%j is a folder', (env, folder) => {
  expect(placeOf(env)).toEqual({ kind: 'folder', dir: folder });
});

test('a bucket alone is one of AWS, with what the SDK finds by itself', () => {
  expect(placeOf({ ASSAY_ARTIFACTS: 's3://evidence', ASSAY_S3_REGION: 'eu-central-1' })).toEqual({
    kind: 's3',
    location: { bucket: 'evidence', prefix: '' },
    access: { endpoint: null, region: 'eu-central-1', pathStyle: false, credentials: null },
  });
});

test('another service has an endpoint, the bucket in the path, and keys from files', () => {
  const env = {
    ASSAY_ARTIFACTS: 's3://evidence/team/assay',
    ASSAY_S3_ENDPOINT: 'http://store:9000',
    ASSAY_S3_ACCESS_KEY_ID_FILE: join(dir, 'id'),
    ASSAY_S3_SECRET_ACCESS_KEY_FILE: join(dir, 'secret'),
  };
  expect(placeOf(env)).toEqual({
    kind: 's3',
    location: { bucket: 'evidence', prefix: 'team/assay' },
    access: {
      endpoint: 'http://store:9000',
      region: 'us-east-1',
      pathStyle: true,
      credentials: { accessKeyId: 'the-id', secretAccessKey: 'the-secret' },
    },
  });
  expect(placeOf({ ...env, ASSAY_S3_PATH_STYLE: 'no' })).toMatchObject({ access: { pathStyle: false } });
});

test.each(['s3://', 's3://Bad_Name', 'S3://bucket', 's3://bucket//x', 'https://bucket', 'gs://bucket'])(
  '%s is refused with its name, its value and what was expected',
  (text) => {
    expect(refusal({ ASSAY_ARTIFACTS: text })).toEqual([
      `  ASSAY_ARTIFACTS: expected a folder, or s3://bucket, or s3://bucket/prefix, got ${JSON.stringify(text)}`,
    ]);
  },
);

test('no place at all is told, beside the other mistakes', () => {
  expect(refusal({ NATS_URL: 'http://x' })).toEqual([
    '  NATS_URL: expected one or more NATS URLs (nats://host:port) separated by commas, got "http://x"',
    '  ASSAY_ARTIFACTS: expected a folder, or s3://bucket, or s3://bucket/prefix (or ASSAY_ARTIFACTS_DIR, a folder), got nothing',
  ]);
});

test('two places are one too many', () => {
  expect(refusal({ ASSAY_ARTIFACTS: 's3://bucket', ASSAY_ARTIFACTS_DIR: '/var/a' })).toEqual([
    '  ASSAY_ARTIFACTS_DIR: expected nothing beside ASSAY_ARTIFACTS, got "/var/a"',
  ]);
});

test.each([
  ['ASSAY_S3_ACCESS_KEY_ID_FILE', 'ASSAY_S3_SECRET_ACCESS_KEY_FILE', 'id'],
  ['ASSAY_S3_SECRET_ACCESS_KEY_FILE', 'ASSAY_S3_ACCESS_KEY_ID_FILE', 'secret'],
])('%s without %s is half a key', (given, missing, file) => {
  expect(refusal({ ASSAY_ARTIFACTS: 's3://bucket', [given]: join(dir, file) })).toEqual([
    `  ${missing}: expected a file too, as ${given} names one, got nothing`,
  ]);
});

test('a key file that others can read is refused, once, and its content is not shown', () => {
  chmodSync(join(dir, 'secret'), 0o644);
  const lines = refusal({
    ASSAY_ARTIFACTS: 's3://bucket',
    ASSAY_S3_ACCESS_KEY_ID_FILE: join(dir, 'id'),
    ASSAY_S3_SECRET_ACCESS_KEY_FILE: join(dir, 'secret'),
  });
  chmodSync(join(dir, 'secret'), 0o600);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^ {2}ASSAY_S3_SECRET_ACCESS_KEY_FILE: .*mode 0644: others could read or change it/);
  expect(lines[0]).not.toContain('the-secret');
});
