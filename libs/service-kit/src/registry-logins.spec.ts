import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRegistryLogins } from './registry-logins';

let dir: string;
let file: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'assay-logins-'));
  file = join(dir, 'config.json');
});
afterEach(() => rm(dir, { recursive: true }));

async function loginsIn(content: unknown, mode = 0o600) {
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
  await chmod(file, mode);
  return readRegistryLogins(file);
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

test('logins are read as Docker writes them, Docker Hub by its short name', async () => {
  const logins = await loginsIn({
    auths: {
      'https://index.docker.io/v1/': { auth: base64('hub:with:colon') },
      'registry.example:5000': { username: 'team', password: 'pässword' },
      'https://other.example/v2/': { auth: base64('other:secret'), email: 'x@example' },
    },
    HttpHeaders: { 'User-Agent': 'x' },
  });
  expect(Object.fromEntries(logins)).toEqual({
    'docker.io': { username: 'hub', password: 'with:colon' },
    'registry.example:5000': { username: 'team', password: 'pässword' },
    'other.example': { username: 'other', password: 'secret' },
  });
});

test.each<[string, unknown, string]>([
  ['no JSON', '{"auths": {"h": {"password": "geheim', 'is no JSON'],
  ['no logins', {}, 'auths: '],
  [
    'a login without a password',
    { auths: { h: { username: 'geheim' } } },
    'auths.h: expected auth (base64 of user:password)',
  ],
  ['a login that is no base64 of both', { auths: { h: { auth: 'geheim' } } }, 'auths.h: expected auth'],
  ['a store of passwords', { auths: {}, credsStore: 'geheim' }, 'credsStore: expected none: programs'],
])('%s is refused without its content', async (_name, content, words) => {
  const refusal = await loginsIn(content).catch((error: unknown) => String(error));
  expect(refusal).toContain(words);
  expect(refusal).not.toContain('geheim');
});

test('a file that others can read is refused', async () => {
  await expect(loginsIn({ auths: {} }, 0o644)).rejects.toThrow(file);
});
