import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PublicKeys } from '@assay/contracts';
import { keyId, newSigningKey, readPublicKeys } from '@assay/evidence';
import { clearedAway, startDispatcher, surroundings, type Surroundings } from '../harness/test-dispatcher';
import { publicKeysFile } from './public-keys-setting';

let around: Surroundings;
beforeEach(async () => {
  around = await surroundings();
});
afterEach(() => clearedAway(around));

async function told(url: string): Promise<PublicKeys> {
  const answer = await fetch(`${url}/v1/keys`);
  expect(answer.status).toBe(200);
  return PublicKeys.parse(await answer.json());
}

test('everybody is told the keys of the file, in its order, without a token', async () => {
  const [newest, older] = [newSigningKey(), newSigningKey()];
  const file = join(around.dir, 'keys.pem');
  await writeFile(file, `${newest.publicPem}${older.publicPem}`);
  const service = await startDispatcher(around, { ASSAY_PUBLIC_KEYS_FILE: file });
  const { keys } = await told(service.url);
  expect(keys.map(({ keyId: id }) => id)).toEqual(
    [newest, older].flatMap(({ publicPem }) => readPublicKeys(publicPem).map(keyId)),
  );
  expect(keys.map(({ pem }) => pem)).toEqual([newest.publicPem, older.publicPem]);
});

test('a deployment that signs nothing has none', async () => {
  expect(await told((await startDispatcher(around)).url)).toEqual({ keys: [] });
});

test('a file that holds none is a wrong setting, by name', async () => {
  const file = join(around.dir, 'keys.pem');
  await writeFile(file, newSigningKey().privatePem);
  const { error } = publicKeysFile().safeParse(file);
  expect(error?.issues[0]?.message).toMatch(/^expected the path of a file with public keys .* got a private key$/);
  expect(publicKeysFile().safeParse(join(around.dir, 'nowhere')).error?.issues[0]?.message).toContain('ENOENT');
});
