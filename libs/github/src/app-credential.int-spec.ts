import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { inspect } from 'node:util';
import { BlamedError } from '@assay/failures';
import { type GithubStandin, type StandinApp, startGithubStandin } from '../../../tools/github-standin/server.mjs';
import { GithubApp, type GithubAppOptions, isTransient, ReleaseClient, retryAfterMs, WritePace } from './index';

const REPOSITORY = 'acme/agent';
const OWNER = 'token-of-the-owner';
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pemOf = (key: KeyObject): string =>
  key.export({ type: key.type === 'private' ? 'pkcs8' : 'spki', format: 'pem' }).toString();
const APP: StandinApp = { id: 4711, installationId: 42, publicKey: pemOf(publicKey) };

let standin: GithubStandin;
let tokens: string[];
let guarded: number;
beforeEach(async () => {
  standin = await startGithubStandin({ token: OWNER, repositories: [REPOSITORY], check: true, app: APP });
  tokens = [];
  guarded = 0;
});
/** Every request and every answer was as GitHub describes them. */
afterEach(async () => {
  await standin.stop();
  expect(standin.problems).toEqual([]);
});

const app = (over: Partial<GithubAppOptions> = {}): GithubApp =>
  new GithubApp({
    baseUrl: standin.url,
    appId: '4711',
    installationId: 42,
    privateKey: pemOf(privateKey),
    permissions: { contents: 'write' },
    onToken: (token) => tokens.push(token),
    ...over,
  });
const clientOf = (credential: GithubApp): ReleaseClient =>
  new ReleaseClient({ baseUrl: standin.url, credential, pace: new WritePace(0) });
const guard = (): Promise<void> => {
  guarded += 1;
  return Promise.resolve();
};
const asked = (method: string, path: RegExp): number =>
  standin.requests.filter((one) => one.method === method && path.test(one.path)).length;
const minted = (): number => asked('POST', /access_tokens$/);

async function made(): Promise<number> {
  const reply = await fetch(`${standin.url}/repos/${REPOSITORY}/releases`, {
    method: 'POST',
    headers: { authorization: `Bearer ${OWNER}` },
    body: JSON.stringify({ tag_name: 'v1.2.0' }),
  });
  return ((await reply.json()) as { id: number }).id;
}

async function failureOf(work: Promise<unknown>): Promise<BlamedError> {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof BlamedError)) throw new Error(`no failure of ours: ${inspect(error)}`);
  return error;
}

test('an App gets a token by its key, and works with it as long as it lives', async () => {
  const id = await made();
  const client = clientOf(app());
  await client.updateBody(REPOSITORY, id, 'written by the App', guard);
  expect((await client.getRelease(REPOSITORY, id)).body).toBe('written by the App');
  expect([minted(), guarded]).toEqual([1, 1]);
  expect(tokens).toEqual([expect.stringMatching(/^ghs_/)]);
});

test('the key may be in the form that GitHub gives out', async () => {
  const pkcs1 = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
  expect(await app({ privateKey: pkcs1 }).token()).toBe(tokens[0]);
});

test('many that want a token at once make one', async () => {
  const credential = app();
  const all = await Promise.all(Array.from({ length: 8 }, () => credential.token()));
  expect([new Set(all).size, minted()]).toEqual([1, 1]);
});

test('a token is replaced shortly before its end', async () => {
  let now = Date.now();
  const credential = app({ now: () => now });
  await credential.token();
  now += 53 * 60_000;
  await credential.token();
  expect(minted()).toBe(1);
  now += 2 * 60_000;
  expect(await credential.token()).toBe(tokens[1]);
  expect(minted()).toBe(2);
});

test('a token that GitHub refuses is replaced once, and the write asks again whether it may', async () => {
  const id = await made();
  const client = clientOf(app());
  await client.getRelease(REPOSITORY, id);
  standin.revokeAppTokens();
  await client.updateBody(REPOSITORY, id, 'after all', guard);
  expect([minted(), asked('PATCH', /releases/), guarded]).toEqual([2, 2, 2]);
  expect((await client.getRelease(REPOSITORY, id)).body).toBe('after all');
});

test('a new token that is refused as well is a failure, not a loop', async () => {
  const id = await made();
  standin.fault({ kind: 'answer', method: 'GET', status: 401, body: { message: 'Bad credentials' }, times: 5 });
  const failure = await failureOf(clientOf(app()).getRelease(REPOSITORY, id));
  expect([failure.code, asked('GET', /releases/), minted()]).toEqual(['github_auth_failed', 2, 2]);
  standin.clearFaults();
});

test('a token may do what was asked for, and no more', async () => {
  const id = await made();
  const failure = await failureOf(
    clientOf(app({ permissions: { contents: 'read' } })).updateBody(REPOSITORY, id, 'x', guard),
  );
  expect(failure.code).toBe('github_forbidden');
});

describe('an App that GitHub does not let in', () => {
  test.each<[string, () => Partial<GithubAppOptions>, RegExp]>([
    [
      'because of its key',
      () => ({ privateKey: pemOf(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey) }),
      /installation 42 of the GitHub App 4711: 401 A JSON web token could not be decoded/,
    ],
    ['because of its id', () => ({ appId: '4712' }), /401 A JSON web token/],
    ['because of its installation', () => ({ installationId: 43 }), /404 Not Found/],
    ['because of what it wants', () => ({ permissions: { issues: 'write' } }), /422 The permissions requested/],
  ])('%s is told so, with the reason of GitHub', async (_why, over, reason) => {
    const id = await made();
    const failure = await failureOf(clientOf(app(over())).getRelease(REPOSITORY, id));
    expect(failure).toMatchObject({ blame: 'infra', code: 'github_app_refused' });
    expect(failure.message).toMatch(reason);
    const shown = inspect(failure, { depth: 20, showHidden: true });
    for (const line of pemOf(privateKey).split('\n').slice(1, -2)) expect(shown).not.toContain(line);
    expect(shown).not.toMatch(/eyJ[\w-]+\.eyJ/);
  });

  test.each([
    [502, {}, (failure: BlamedError) => isTransient(failure)],
    [429, { 'retry-after': '7' }, (failure: BlamedError) => retryAfterMs(failure) === 7000],
  ])('for a moment (%i) is told as such, and asks again the next time', async (status, headers, isSo) => {
    const id = await made();
    const client = clientOf(app());
    standin.fault({ kind: 'answer', method: 'POST', path: 'access_tokens$', status, headers });
    expect(isSo(await failureOf(client.getRelease(REPOSITORY, id)))).toBe(true);
    expect((await client.getRelease(REPOSITORY, id)).id).toBe(id);
  });

  test('because it takes too long is told as such', async () => {
    standin.fault({ kind: 'hang', method: 'POST' });
    expect(isTransient(await failureOf(app({ timeoutMs: 50 }).token()))).toBe(true);
  });
});

describe('the stand-in of GitHub refuses a proof', () => {
  const now = Math.floor(Date.now() / 1000);
  const good = { iss: '4711', iat: now - 30, exp: now + 500 };
  const jwt = (payload: object, header: object = { alg: 'RS256', typ: 'JWT' }, key = privateKey): string => {
    const text = [header, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    return `${text}.${sign('RSA-SHA256', Buffer.from(text), key).toString('base64url')}`;
  };
  const ask = (proof: string): Promise<number> =>
    fetch(`${standin.url}/app/installations/42/access_tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${proof}` },
    }).then(({ status }) => status);

  test('but a right one', async () => {
    expect(await ask(jwt(good))).toBe(201);
  });

  test.each<[string, () => string]>([
    ['of another key', () => jwt(good, undefined, generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)],
    [
      'that was changed',
      () =>
        jwt(good).replace(
          /\.[^.]+\./,
          `.${Buffer.from(JSON.stringify({ ...good, exp: now + 501 })).toString('base64url')}.`,
        ),
    ],
    ['without a signature', () => jwt(good, { alg: 'none' }).replace(/[^.]+$/, '')],
    ['that says another algorithm', () => jwt(good, { alg: 'HS256' })],
    ['of another App', () => jwt({ ...good, iss: '1' })],
    ['that is over', () => jwt({ ...good, exp: now - 1 })],
    ['that lasts too long', () => jwt({ ...good, exp: now + 700 })],
    ['from the future', () => jwt({ ...good, iat: now + 120 })],
    ['that is none', () => 'ghs_token'],
  ])('%s', async (_what, proof) => {
    expect(await ask(proof())).toBe(401);
  });
});
