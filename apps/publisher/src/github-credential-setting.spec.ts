import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, loadConfig } from '@assay/service-kit';
import { configSchema } from './config';
import { githubAccess } from './github-access';
import { keyLines, readAppKey } from './github-credential-setting';

const pem = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs1', format: 'pem' });
const ed25519 = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });

let dir: string;
let key: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'assay-app-'));
  key = file('app.pem', pem.toString(), 0o600);
});
afterEach(() => {
  rmSync(dir, { recursive: true });
});

function file(name: string, content: string, mode: number): string {
  const path = join(dir, name);
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

const load = (over: NodeJS.ProcessEnv) =>
  loadConfig(configSchema, { NATS_URL: 'nats://127.0.0.1:1', ASSAY_ARTIFACTS_DIR: join(dir, 'artifacts'), ...over });
const anApp = (over: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  GITHUB_APP_ID: '4711',
  GITHUB_APP_INSTALLATION_ID: '42',
  GITHUB_APP_PRIVATE_KEY_FILE: key,
  ...over,
});
const refusal = (over: NodeJS.ProcessEnv): string => {
  try {
    load(over);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('the settings were taken');
};

test.each(['4711', 'Iv1.0123456789abcdef', 'Iv23liABCDEFGHIJKLMN'])(
  'an App by its id %s, its installation and its key is a way to GitHub without a token',
  (id) => {
    const config = load(anApp({ GITHUB_APP_ID: id }));
    expect(config).toMatchObject({ GITHUB_APP_ID: id, GITHUB_APP_INSTALLATION_ID: 42 });
    expect(config.GITHUB_APP_PRIVATE_KEY_FILE).toMatch(/^-----BEGIN PRIVATE KEY-----/);
  },
);

test('a text that is no key is a mistake of its own, which does not say the text', () => {
  const mistake = expect.objectContaining({ blame: 'contract', code: 'github_app_key_invalid' }) as Error;
  expect(() => readAppKey('nothing')).toThrow(mistake);
  expect(() => readAppKey('nothing')).not.toThrow('nothing');
});

test('the key is among what is let out to nobody', () => {
  const config = load(anApp());
  const known = githubAccess(config, { contents: 'write' }).secrets();
  expect(known.length).toBeGreaterThan(20);
  expect(keyLines(config.GITHUB_APP_PRIVATE_KEY_FILE ?? '')).toEqual(known);
});

test('one way is needed, and only one is taken', () => {
  expect(refusal({})).toMatch(/GITHUB_TOKEN_FILE.*expected the path of a file with a token, or an App/);
  const token = file('token', 'a-token', 0o600);
  expect(refusal(anApp({ GITHUB_TOKEN_FILE: token }))).toMatch(
    /GITHUB_TOKEN_FILE.*expected no token beside a GitHub App/,
  );
});

test.each(['GITHUB_APP_ID', 'GITHUB_APP_INSTALLATION_ID', 'GITHUB_APP_PRIVATE_KEY_FILE'])(
  'an App without %s is refused by that name',
  (name) => {
    const told = refusal(anApp({ [name]: undefined }));
    expect(told).toMatch(new RegExp(`${name}.*a GitHub App needs all of`));
    expect(told.split('\n')).toHaveLength(2);
  },
);

test.each<[string, NodeJS.ProcessEnv, RegExp]>([
  ['an id with other characters', { GITHUB_APP_ID: '47 11' }, /GITHUB_APP_ID.*expected the id of a GitHub App/],
  ['an installation that is no number', { GITHUB_APP_INSTALLATION_ID: 'mine' }, /GITHUB_APP_INSTALLATION_ID.*number/],
  ['an installation of 0', { GITHUB_APP_INSTALLATION_ID: '0' }, /GITHUB_APP_INSTALLATION_ID/],
])('%s is refused', (_what, over, reason) => {
  expect(refusal(anApp(over))).toMatch(reason);
});

test.each<[string, () => string, RegExp]>([
  ['can be read by others', () => file('k', pem.toString(), 0o644), /has mode 0644/],
  ['is of another kind', () => file('k', ed25519.toString(), 0o600), /holds no RSA private key in PEM/],
  ['is no key', () => file('k', 'nothing of the kind', 0o600), /holds no RSA private key in PEM/],
  ['does not exist', () => join(dir, 'nowhere'), /does not exist/],
  [
    'is a link',
    () => {
      symlinkSync(key, join(dir, 'link'));
      return join(dir, 'link');
    },
    /is a symbolic link/,
  ],
])('a key that %s is refused at the start, and its text is not said', (_how, make, reason) => {
  const told = refusal(anApp({ GITHUB_APP_PRIVATE_KEY_FILE: make() }));
  expect(told).toMatch(/GITHUB_APP_PRIVATE_KEY_FILE/);
  expect(told).toMatch(reason);
  expect(told).not.toMatch(/BEGIN|nothing of the kind/);
});
