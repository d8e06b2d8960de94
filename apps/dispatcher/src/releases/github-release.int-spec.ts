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

test('a release that is not there may come yet', async () => {
  const found = await client().look({ ...release, id: 999_999, tag: 'v9.9.9' }, never);
  expect(found).toMatchObject({ answer: 'not_yet', reason: `release v9.9.9 (999999) of ${repository} is not there` });
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
