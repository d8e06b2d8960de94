import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { inspect } from 'node:util';
import { Digest } from '@assay/contracts';
import { BlamedError, InfraError } from '@assay/failures';
import { type GithubStandin, startGithubStandin } from '../../../tools/github-standin/server.mjs';
import {
  isTransient,
  type NewAsset,
  type Release,
  ReleaseClient,
  retryAfterMs,
  smallAsset,
  tokenCredential,
  WritePace,
} from './index';

const REPOSITORY = 'acme/agent';
const TOKEN = 'canary-token-5a1f';
const assetOf = (name: string, content: string): NewAsset =>
  smallAsset(
    { nameOf: () => name, label: 'demo', title: 'Every instance', mediaType: 'application/json' },
    Buffer.from(content),
  );
const SUITE_ASSET = assetOf('assay-demo-run-1-01234567.json', '{"a":1}');

let standin: GithubStandin;
let client: ReleaseClient;
let guarded: number;

/** Counts how often a write asked whether it may. */
const guard = (): Promise<void> => {
  guarded += 1;
  return Promise.resolve();
};

beforeEach(async () => {
  standin = await startGithubStandin({ token: TOKEN, readToken: 'reader', repositories: [REPOSITORY], check: true });
  client = new ReleaseClient({
    baseUrl: standin.url,
    credential: tokenCredential(() => TOKEN),
    pace: new WritePace(0),
  });
  guarded = 0;
});

/** Whatever a test did: every request of the client, and every answer, was as GitHub describes them. */
afterEach(async () => {
  await standin.stop();
  expect(standin.problems).toEqual([]);
});

async function made(fields: object = {}): Promise<Release> {
  const reply = await fetch(`${standin.url}/repos/${REPOSITORY}/releases`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}` },
    body: JSON.stringify({ tag_name: 'v1.2.0', ...fields }),
  });
  const { id } = (await reply.json()) as { id: number };
  return client.getRelease(REPOSITORY, id);
}

async function failureOf(work: Promise<unknown>): Promise<InfraError> {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof InfraError)) throw new Error(`no InfraError: ${inspect(error)}`);
  return error;
}

const posts = () => standin.requests.filter(({ method }) => method === 'POST').length - 1;

describe('reading and writing notes', () => {
  test('a release is read with what decides about a publication', async () => {
    const release = await made({ body: 'Notes\r\n', prerelease: true });
    expect(release).toMatchObject({
      repository: REPOSITORY,
      tag: 'v1.2.0',
      body: 'Notes\r\n',
      draft: false,
      immutable: false,
      assets: [],
    });
    expect((await made({ tag_name: 'v0', draft: true })).body).toBeNull();
  });

  test('notes are replaced whole, after asking whether that is still allowed', async () => {
    const { id } = await made({ body: 'old' });
    expect((await client.updateBody(REPOSITORY, id, 'new\r\n  ', guard)).body).toBe('new\r\n  ');
    expect(guarded).toBe(1);
    const refuse = () => Promise.reject(new InfraError('lost', { code: 'lease_lost', phase: 'lease' }));
    expect((await failureOf(client.updateBody(REPOSITORY, id, 'newer', refuse))).code).toBe('lease_lost');
    expect((await client.getRelease(REPOSITORY, id)).body).toBe('new\r\n  ');
  });

  test('a write is never repeated by itself: not after a rate limit, a 502 or a lost connection', async () => {
    const { id } = await made();
    for (const fault of [
      { kind: 'answer' as const, status: 429, headers: { 'retry-after': '0' } },
      { kind: 'answer' as const, status: 502 },
      { kind: 'cut' as const },
    ]) {
      standin.fault({ ...fault, method: 'PATCH' });
      await failureOf(client.updateBody(REPOSITORY, id, 'new', guard));
    }
    expect(standin.requests.filter(({ method }) => method === 'PATCH')).toHaveLength(3);
    expect((await client.getRelease(REPOSITORY, id)).body).toBeNull();
  });

  test('writes stand apart by the pace, reads do not wait', async () => {
    const { id } = await made();
    const slow = new ReleaseClient({
      baseUrl: standin.url,
      credential: tokenCredential(() => TOKEN),
      pace: new WritePace(1_500),
    });
    const begun = Date.now();
    await slow.updateBody(REPOSITORY, id, 'one', guard);
    await slow.getRelease(REPOSITORY, id);
    expect(Date.now() - begun).toBeLessThan(150);
    await slow.updateBody(REPOSITORY, id, 'two', guard);
    expect(Date.now() - begun).toBeGreaterThanOrEqual(149);
  });
});

describe('a release that is not shown by its id', () => {
  const tag = 'v1.2.0';
  const remove = (id: number) =>
    fetch(`${standin.url}/repos/${REPOSITORY}/releases/${id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${TOKEN}` },
    });

  test('was deleted, or made anew under its tag, or is there after all', async () => {
    const { id } = await made();
    expect(await client.whereabouts(REPOSITORY, { id, tag })).toBe('there');
    await remove(id);
    expect(await client.whereabouts(REPOSITORY, { id, tag })).toBe('deleted');
    const { id: next } = await made();
    expect(await client.whereabouts(REPOSITORY, { id, tag })).toBe('made_anew');
    expect(await client.whereabouts(REPOSITORY, { id: next, tag })).toBe('there');
  });

  test('is there where GitHub only stumbled over its id', async () => {
    const { id } = await made();
    standin.fault({ kind: 'answer', method: 'GET', path: '/releases/[0-9]+$', status: 404 });
    expect(await client.whereabouts(REPOSITORY, { id, tag })).toBe('there');
  });

  test('is hidden where nothing of the repository is shown, and unknown where GitHub fails', async () => {
    expect(await client.whereabouts('acme/private', { id: 1, tag })).toBe('hidden');
    standin.fault({ kind: 'answer', method: 'GET', status: 500 });
    expect((await failureOf(client.whereabouts(REPOSITORY, { id: 1, tag }))).code).toBe('github_unavailable');
  });
});

describe('assets', () => {
  test('go where the release says, with name, label and type, once', async () => {
    const release = await made();
    const first = await client.ensureAsset(REPOSITORY, release, SUITE_ASSET, guard);
    expect(first).toMatchObject({ name: SUITE_ASSET.name, label: 'demo', uploaded: true, size: 7 });
    expect(await (await fetch(first.downloadUrl)).text()).toBe('{"a":1}');
    expect(await client.ensureAsset(REPOSITORY, release, SUITE_ASSET, guard)).toEqual(first);
    expect([posts(), guarded]).toEqual([1, 1]);
  });

  test('a 502 that leaves a starter asset: the starter goes, the failure is told, the next upload holds', async () => {
    const release = await made();
    standin.fault({ kind: 'starter', method: 'POST' });
    const failure = await failureOf(client.ensureAsset(REPOSITORY, release, SUITE_ASSET, guard));
    expect([failure.code, isTransient(failure)]).toEqual(['github_unavailable', true]);
    expect(await client.listAssets(REPOSITORY, release.id)).toEqual([]);
    expect((await client.ensureAsset(REPOSITORY, release, SUITE_ASSET, guard)).uploaded).toBe(true);
  });

  test('an upload whose answer was lost counts as done', async () => {
    const release = await made();
    standin.fault({ kind: 'lost', method: 'POST' });
    expect((await client.ensureAsset(REPOSITORY, release, SUITE_ASSET, guard)).uploaded).toBe(true);
    expect(posts()).toBe(1);
  });

  test('already_exists: the same content is taken over, another is replaced', async () => {
    const release = await made();
    const other = assetOf(SUITE_ASSET.name, '{"b":2}');
    await client.ensureAsset(REPOSITORY, release, other, guard);
    const mine = await client.ensureAsset(REPOSITORY, release, SUITE_ASSET, guard);
    expect(await client.listAssets(REPOSITORY, release.id)).toEqual([mine]);
    // Somebody uploads the same between our look and our upload.
    const racing = { ...SUITE_ASSET, name: 'raced.json' };
    standin.fault({ kind: 'lost', method: 'POST' });
    await fetch(`${release.uploadUrl.replace(/\{.*/, '')}?name=raced.json`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}` },
      body: '{"a":1}',
    }).catch(() => null);
    expect((await client.ensureAsset(REPOSITORY, release, racing, guard)).size).toBe(7);
  });

  test('a large one is streamed with its length, chunk by chunk, and arrives whole', async () => {
    const release = await made();
    const chunk = randomBytes(65_536);
    const chunks = 400;
    const hash = createHash('sha256');
    for (let at = 0; at < chunks; at += 1) hash.update(chunk);
    let given = 0;
    const large: NewAsset = {
      ...SUITE_ASSET,
      size: chunk.length * chunks,
      digest: Digest.parse(hash.digest('hex')),
      open: () =>
        Readable.from(
          (function* () {
            for (let at = 0; at < chunks; at += 1) {
              given += 1;
              yield chunk;
            }
          })(),
        ),
    };
    const asset = await client.ensureAsset(REPOSITORY, release, large, guard);
    expect(asset).toMatchObject({ uploaded: true, size: large.size, digest: `sha256:${large.digest}` });
    expect(given).toBe(chunks);
    expect(standin.requests.find(({ bytes }) => bytes === large.size)).toMatchObject({ status: 201 });
  });

  test('a file goes with its length, not in chunks: GitHub takes no others', async () => {
    const heard: Record<string, unknown>[] = [];
    const server = createServer((request, response) => {
      heard.push(request.headers);
      const empty = request.method === 'GET';
      const asset = {
        id: 1,
        name: SUITE_ASSET.name,
        label: 'demo',
        state: 'uploaded',
        size: 7,
        browser_download_url: '',
      };
      request.resume().on('end', () => {
        response
          .writeHead(empty ? 200 : 201, { 'content-type': 'application/json' })
          .end(JSON.stringify(empty ? [] : asset));
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const there = new ReleaseClient({ baseUrl, credential: tokenCredential(() => TOKEN), pace: new WritePace(0) });
    const release = { ...(await made()), uploadUrl: `${baseUrl}/uploads{?name,label}` };
    await there.ensureAsset(REPOSITORY, release, SUITE_ASSET, guard);
    server.closeAllConnections();
    server.close();
    expect(heard.at(-1)).toMatchObject({ 'content-length': '7', 'content-type': 'application/json' });
    expect(heard.at(-1)).not.toHaveProperty('transfer-encoding');
  });

  test('an upload that is cut in the middle can be done again from its beginning', async () => {
    const release = await made();
    standin.fault({ kind: 'cut', method: 'POST' });
    const failure = await failureOf(client.ensureAsset(REPOSITORY, release, SUITE_ASSET, guard));
    expect(failure.code).toBe('github_unreachable');
    expect((await client.ensureAsset(REPOSITORY, release, SUITE_ASSET, guard)).size).toBe(7);
  });

  test('a list longer than one page is read to its end', async () => {
    const release = await made();
    for (let at = 0; at < 101; at += 1) {
      await client.ensureAsset(REPOSITORY, { ...release }, { ...SUITE_ASSET, name: `a-${at}.json` }, guard);
    }
    expect(await client.listAssets(REPOSITORY, release.id)).toHaveLength(101);
  });

  test('deleting what is gone is no failure', async () => {
    const release = await made();
    const { id } = await client.ensureAsset(REPOSITORY, release, SUITE_ASSET, guard);
    await client.deleteAsset(REPOSITORY, id, guard);
    await client.deleteAsset(REPOSITORY, id, guard);
    expect(await client.listAssets(REPOSITORY, release.id)).toEqual([]);
  });

  test('an upload address on another host gets neither file nor token', async () => {
    const release = await made();
    const strange = { ...release, uploadUrl: 'http://127.0.0.1:1/assets{?name,label}' };
    expect((await failureOf(client.ensureAsset(REPOSITORY, strange, SUITE_ASSET, guard))).code).toBe(
      'github_upload_url',
    );
  });
});

describe('failures carry GitHub’s own reason', () => {
  const answer = (status: number, body: object, headers: Record<string, string> = {}) => {
    standin.fault({ kind: 'answer', method: 'GET', status, body, headers });
    return failureOf(client.getRelease(REPOSITORY, 1));
  };

  test.each([
    [401, { message: 'Bad credentials' }, {}, 'github_auth_failed'],
    [403, { message: 'Resource not accessible by integration' }, {}, 'github_forbidden'],
    [404, { message: 'Not Found' }, {}, 'github_not_found'],
    [422, { message: 'Cannot upload assets to an immutable release' }, {}, 'github_immutable'],
    [422, { message: 'Validation Failed', errors: [{ code: 'custom' }] }, {}, 'github_rejected'],
    [500, { message: 'Server Error' }, {}, 'github_unavailable'],
    [418, { message: 'teapot' }, {}, 'github_unexpected'],
  ])('%i %j', async (status, body, headers, code) => {
    const failure = await answer(status, body, headers);
    expect([failure.code, retryAfterMs(failure)]).toEqual([code, null]);
    expect(failure.message).toContain(body.message);
  });

  test.each([
    ['a Retry-After', 429, { 'retry-after': '3' }, 3000],
    ['a Retry-After on 403', 403, { 'retry-after': '7' }, 7000],
    ['nothing but 429', 429, {}, 60_000],
  ])('a rate limit with %s says how long to stay away', async (_name, status, headers, ms) => {
    const failure = await answer(status, { message: 'slow down' }, headers);
    expect([failure.code, retryAfterMs(failure)]).toEqual(['github_rate_limited', ms]);
  });

  test('an exhausted limit is waited for until its reset', async () => {
    const reset = String(Math.ceil(Date.now() / 1000) + 100);
    const failure = await answer(403, { message: 'x' }, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset });
    expect(retryAfterMs(failure)).toBeGreaterThan(99_000);
    expect(retryAfterMs(failure)).toBeLessThan(103_000);
  });

  test('a body that is too long', async () => {
    const { id } = await made();
    const failure = await failureOf(client.updateBody(REPOSITORY, id, 'x'.repeat(125_001), guard));
    expect(failure.code).toBe('github_body_too_long');
    expect(failure.message).toContain('maximum is 125000 characters');
  });

  test('nobody there: the system’s own reason', async () => {
    const { url } = standin;
    await standin.stop();
    const failure = await failureOf(client.getRelease(REPOSITORY, 1));
    expect(failure.code).toBe('github_unreachable');
    expect(failure.message).toContain('ECONNREFUSED');
    standin = await startGithubStandin({ port: Number(new URL(url).port) });
  });

  test('an answer that is no release', async () => {
    standin.fault({ kind: 'answer', method: 'GET', status: 404, body: {} });
    await failureOf(client.getRelease(REPOSITORY, 1));
    const page = new ReleaseClient({
      baseUrl: `${standin.url}/_standin/requests?`,
      credential: tokenCredential(() => TOKEN),
    });
    expect((await failureOf(page.getRelease(REPOSITORY, 1))).code).toBe('github_unexpected');
  });

  test('a request that hangs ends after its time, and at once when the work is stopped', async () => {
    standin.fault({ kind: 'hang', method: 'GET', times: 2 });
    const options = { baseUrl: standin.url, credential: tokenCredential(() => TOKEN) };
    const impatient = new ReleaseClient({ ...options, timeoutMs: 50 });
    expect((await failureOf(impatient.getRelease(REPOSITORY, 1))).code).toBe('github_unreachable');
    const lost = new InfraError('lost', { code: 'lease_lost', phase: 'lease' });
    const stopped = new ReleaseClient({ ...options, signal: AbortSignal.abort(lost) });
    expect(await failureOf(stopped.getRelease(REPOSITORY, 1))).toBe(lost);
  });

  test('the token is asked for each time, and a failure to get it is passed on', async () => {
    let token = 'expired';
    const renewing = new ReleaseClient({ baseUrl: standin.url, credential: tokenCredential(() => token) });
    const { id } = await made();
    const before = standin.requests.length;
    expect((await failureOf(renewing.getRelease(REPOSITORY, id))).code).toBe('github_auth_failed');
    expect(standin.requests.length - before).toBe(1);
    token = TOKEN;
    expect((await renewing.getRelease(REPOSITORY, id)).id).toBe(id);
    const unusable = new InfraError('the token file is empty', { code: 'github_token_unusable', phase: 'publish' });
    const credential = tokenCredential(() => Promise.reject(unusable));
    expect(await failureOf(new ReleaseClient({ baseUrl: standin.url, credential }).getRelease(REPOSITORY, id))).toBe(
      unusable,
    );
  });

  test('a token that was renewed while GitHub refused it is used at once, and asked again whether it may write', async () => {
    const tokens = ['expired', TOKEN, TOKEN];
    const credential = tokenCredential(() => tokens.shift() ?? '');
    const { id } = await made();
    await new ReleaseClient({ baseUrl: standin.url, credential, pace: new WritePace(0) }).updateBody(
      ...([REPOSITORY, id, 'new', guard] as const),
    );
    expect([standin.requests.filter(({ method }) => method === 'PATCH').length, guarded]).toEqual([2, 2]);
  });

  test('nor do the notes that were sent', async () => {
    const { id } = await made();
    standin.fault({ kind: 'answer', method: 'PATCH', status: 500 });
    const failure = await failureOf(client.updateBody(REPOSITORY, id, 'the whole notes', guard));
    expect(inspect(failure, { depth: 20 })).not.toContain('the whole notes');
  });

  test('the token stands in no failure, however deeply one looks', async () => {
    const { id } = await made();
    standin.fault({ kind: 'answer', method: 'GET', status: 500 });
    standin.fault({ kind: 'cut', method: 'PATCH' });
    const failures: BlamedError[] = [
      await failureOf(client.getRelease(REPOSITORY, id)),
      await failureOf(client.updateBody(REPOSITORY, id, 'x', guard)),
    ];
    for (const failure of failures) {
      expect(inspect(failure, { depth: 20, showHidden: true })).not.toContain(TOKEN);
      expect(JSON.stringify(failure.toFailure())).not.toContain(TOKEN);
    }
  });
});
