import type { ReleaseTarget } from '@assay/contracts';
import { startGithubStandin, type GithubStandin } from '../../../../tools/github-standin/server.mjs';
import { GithubReleaseClient } from './github-release.client';

const repository = 'example/coding-agent';
const READER = 'reader';
let github: GithubStandin;
let release: ReleaseTarget;

beforeAll(async () => {
  github = await startGithubStandin({ token: 'writer', readToken: READER, repositories: [repository], check: true });
  const answer = await fetch(`${github.url}/repos/${repository}/releases`, {
    method: 'POST',
    headers: { authorization: 'Bearer writer', 'content-type': 'application/json' },
    body: JSON.stringify({ tag_name: 'v1.0.0', target_commitish: 'a'.repeat(40), name: 'one', body: '' }),
  });
  release = { repository, id: ((await answer.json()) as { id: number }).id, tag: 'v1.0.0' };
});
afterEach(() => {
  github.clearFaults();
});
afterAll(async () => {
  expect(github.problems).toEqual([]);
  await github.stop();
});

const never = new AbortController().signal;
const client = (token: string | null = READER, url = github.url) => new GithubReleaseClient(url, token);

test.each([null, READER])('a release with that id and tag is there (token: %s)', async (token) => {
  expect(await client(token).look(release, never)).toEqual({ answer: 'there' });
});

test('a root with a slash at its end is the same root', async () => {
  expect(await client(READER, `${github.url}/`).look(release, never)).toEqual({ answer: 'there' });
});

test('a release that is not there is missing', async () => {
  const found = await client().look({ ...release, id: 999_999, tag: 'v9.9.9' }, never);
  expect(found).toMatchObject({ answer: 'missing', reason: `release v9.9.9 (999999) of ${repository} is not there` });
});

test('a release of another tag contradicts the submission', async () => {
  expect(await client().look({ ...release, tag: 'v2.0.0' }, never)).toEqual({
    answer: 'wrong',
    reason: `release ${release.id} of ${repository} has the tag v1.0.0, not v2.0.0`,
  });
});

test.each([
  [{ status: 503 }, null],
  [{ status: 401 }, null],
  [{ status: 429, headers: { 'retry-after': '77' } }, 77],
  [{ status: 403, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '99999999999' } }, 3_600],
  [{ status: 403, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1' } }, 0],
])('an answer of %j is no verdict, and its wish to wait is passed on', async (fault, retryAfterSeconds) => {
  github.fault({ kind: 'answer', method: 'GET', body: { message: 'no' }, ...fault });
  const found = await client().look(release, never);
  expect(found).toMatchObject({ answer: 'not_yet', retryAfterSeconds });
  expect('reason' in found && found.reason).toContain(String(fault.status));
});

test.each(['cut', 'lost'] as const)('a connection that is %s is no verdict', async (kind) => {
  github.fault({ kind, method: 'GET' });
  expect(await client().look(release, never)).toMatchObject({ answer: 'not_yet' });
});

test('an answer that is no release is no verdict', async () => {
  // One that nobody holds against GitHub's description, which has no such answer.
  const odd = await startGithubStandin({ repositories: [repository] });
  odd.fault({ kind: 'answer', method: 'GET', status: 200, body: { id: 'x' } });
  const found = await client(null, odd.url).look(release, never);
  await odd.stop();
  expect(found).toMatchObject({ answer: 'not_yet' });
});

test('a server that is away is no verdict, and the reason names the release', async () => {
  const found = await client(READER, 'http://127.0.0.1:1').look(release, never);
  expect(found).toMatchObject({ answer: 'not_yet', retryAfterSeconds: null });
  expect('reason' in found && found.reason).toContain('v1.0.0');
});

test('a look can be ended early', async () => {
  github.fault({ kind: 'hang', method: 'GET' });
  const ending = new AbortController();
  const looking = client().look(release, ending.signal);
  ending.abort();
  expect(await looking).toMatchObject({ answer: 'not_yet' });
});

describe('a release by its tag', () => {
  beforeAll(async () => {
    await made(`${github.url}/repos/${repository}/releases`, {
      tag_name: 'v1.1.0-rc.1',
      prerelease: true,
      name: 'rc',
      body: 'one\r\ntwo',
    });
    await made(`${github.url}/repos/${repository}/releases`, { tag_name: 'nightly/2026-11-29', name: 'odd' });
    await made(`${github.url}/repos/${repository}/releases`, { tag_name: 'v9.0.0', draft: true, name: 'draft' });
  });

  test.each([
    ['v1.0.0', { prerelease: false, draft: false, body: '' }],
    ['v1.1.0-rc.1', { prerelease: true, draft: false, body: 'one\r\ntwo' }],
    ['nightly/2026-11-29', { prerelease: false, draft: false, body: '' }],
  ])('is found as GitHub describes it: %s', async (tag, wanted) => {
    const found = await client().byTag(repository, tag, never);
    expect(found).toMatchObject({ answer: 'there', release: { tag, id: expect.any(Number) as number, ...wanted } });
  });

  test.each(['v7.7.7', 'v9.0.0', 'V1.0.0'])('is missing where there is none that was published: %s', async (tag) => {
    expect(await client().byTag(repository, tag, never)).toEqual({ answer: 'missing' });
  });

  test('cannot be told while GitHub fails', async () => {
    github.fault({ kind: 'answer', method: 'GET', status: 429, headers: { 'retry-after': '9' } });
    expect(await client().byTag(repository, 'v1.0.0', never)).toMatchObject({
      answer: 'not_yet',
      retryAfterSeconds: 9,
    });
  });
});

describe('the commit of a tag', () => {
  const commit = 'c'.repeat(40);

  /** A tag that is `depth` tag objects away from the commit; resolves with its name. */
  async function nested(depth: number, name = `nested-${depth}`): Promise<string> {
    await made(`${github.url}/_standin/tags`, { repository, tag: name, commit, nested: depth });
    return name;
  }

  test.each([0, 1, 2, 5])('is found through %i tag objects', async (depth) => {
    expect(await client().commitOf(repository, await nested(depth), never)).toEqual({ answer: 'there', commit });
  });

  test('is not looked for deeper than five tags of tags', async () => {
    expect(await client().commitOf(repository, await nested(6), never)).toEqual({
      answer: 'wrong',
      reason: `tag nested-6 of ${repository} is a tag of a tag, more than 5 deep`,
    });
  });

  test('is found for a tag with a slash, and never for one that only begins so', async () => {
    await nested(1, 'family/v1');
    expect(await client().commitOf(repository, 'family/v1', never)).toEqual({ answer: 'there', commit });
    expect(await client().commitOf(repository, 'family', never)).toMatchObject({ answer: 'missing' });
    expect(await client().commitOf(repository, 'family/./v1', never)).toMatchObject({ answer: 'missing' });
  });

  test.each([
    ['on the reference', 0],
    ['in the middle of the tags', 2],
  ])('cannot be told while GitHub fails %s', async (_, skip) => {
    const tag = await nested(3, `failing-${skip}`);
    github.fault({ kind: 'answer', method: 'GET', status: 502, body: { message: 'no' }, skip });
    expect(await client().commitOf(repository, tag, never)).toEqual({
      answer: 'not_yet',
      reason: `GitHub answers 502 when asked about tag ${tag} of ${repository}`,
      retryAfterSeconds: null,
    });
    expect(await client().commitOf(repository, tag, never)).toEqual({ answer: 'there', commit });
  });
});

/** Makes something at GitHub, as a person with a token that may write. */
async function made(url: string, body: object): Promise<void> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { authorization: 'Bearer writer', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(answer.ok).toBe(true);
}
