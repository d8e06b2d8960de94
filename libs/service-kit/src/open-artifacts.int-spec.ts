import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ArtifactStore } from '@assay/artifacts';
import { describeNeeding, freePort, missingS3Server, TestS3 } from '@assay/testing';
import { z } from 'zod';
import { commonConfig, loadConfig, oneArtifactStore, openArtifacts, Readiness } from './index';

const schema = oneArtifactStore(z.object(commonConfig('grader')));
const readiness = new Readiness('grader');
readiness.serving();
const open = (env: NodeJS.ProcessEnv): Promise<ArtifactStore> =>
  openArtifacts(loadConfig(schema, { NATS_URL: 'nats://127.0.0.1:4222', ...env }), readiness);

describe('a folder', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'assay-open-'));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  test.each(['ASSAY_ARTIFACTS', 'ASSAY_ARTIFACTS_DIR'])(
    'is a store by %s, and looked at by readiness',
    async (name) => {
      const store = await open({ [name]: join(dir, 'new/folder') });
      expect(await store.get(await store.put('patch', 'text/plain', Buffer.from('x')))).toEqual(Buffer.from('x'));
      expect((await readiness.report()).probes).toEqual({ artifacts: 'ok' });
      await rm(join(dir, 'new'), { recursive: true });
      expect((await readiness.report()).probes['artifacts']).toMatch(/^down: .*new\/folder\/assay cannot be used/);
    },
  );

  test.each(['ASSAY_ARTIFACTS', 'ASSAY_ARTIFACTS_DIR'])(
    'that cannot be made ends the start, naming %s',
    async (name) => {
      await writeFile(join(dir, 'plain'), '');
      const work = open({ [name]: join(dir, 'plain') });
      await expect(work).rejects.toThrow(`cannot reach the artifact store at ${join(dir, 'plain')} (${name}): `);
    },
  );
});

describeNeeding(missingS3Server(), 'a bucket', () => {
  let s3: TestS3;
  let settings: Record<string, string>;
  beforeAll(async () => {
    s3 = await TestS3.start();
    settings = await s3.settings('kit');
  });
  afterAll(() => s3.stop());

  test('is a store, and readiness follows the service', async () => {
    const store = await open(settings);
    expect(await store.get(await store.put('patch', 'text/plain', Buffer.from('x')))).toEqual(Buffer.from('x'));
    expect((await readiness.report()).probes).toEqual({ artifacts: 'ok' });
    await s3.kill();
    const probe = (await readiness.report()).probes['artifacts'];
    expect(probe).toMatch(/^down: the artifact store cannot be used: .*ECONNREFUSED/);
    await s3.restart();
    expect((await readiness.report()).probes).toEqual({ artifacts: 'ok' });
  });

  test('that does not exist ends the start with one line', async () => {
    await expect(open({ ...settings, ASSAY_ARTIFACTS: 's3://not-there/kit' })).rejects.toThrow(
      /^cannot reach the artifact store at not-there \(ASSAY_ARTIFACTS\): .*NoSuchBucket/,
    );
  });

  test('behind a port where nobody listens ends the start with one line', async () => {
    const nobody = { ASSAY_S3_ENDPOINT: `http://127.0.0.1:${await freePort()}` };
    await expect(open({ ...settings, ...nobody })).rejects.toThrow(
      /^cannot reach the artifact store at .*ECONNREFUSED/,
    );
  });

  test('that our key may not use ends the start without showing the key', async () => {
    const wrong = join(s3.dir, 'wrong');
    await writeFile(wrong, 'wrong-secret-canary', { mode: 0o600 });
    const error: unknown = await open({ ...settings, ASSAY_S3_SECRET_ACCESS_KEY_FILE: wrong }).catch(
      (thrown: unknown) => thrown,
    );
    expect(String(error)).toMatch(/cannot reach the artifact store at .*: it answers 403/);
    expect(String(error)).not.toMatch(/canary/);
  });
});
