import { type GithubStandin, startGithubStandin } from '../../../tools/github-standin/server.mjs';
import { IssueClient, tokenCredential, WritePace } from './index';

const REPOSITORY = 'acme/agent';
const TOKEN = 'canary-issue-token';
const ISSUE = { repository: REPOSITORY, issue: 12 };
const START = new Date(Date.now() - 60_000);

let github: GithubStandin;
beforeEach(async () => {
  github = await startGithubStandin({ token: TOKEN, repositories: [REPOSITORY], check: true });
  await fetch(`${github.url}/_standin/issues`, { method: 'POST', body: JSON.stringify(ISSUE) });
});
afterEach(() => github.stop());

const client = (over: { token?: string; timeoutMs?: number } = {}): IssueClient =>
  new IssueClient({
    baseUrl: github.url,
    credential: tokenCredential(() => over.token ?? TOKEN),
    pace: new WritePace(0),
    timeoutMs: over.timeoutMs ?? 5_000,
  });
const comments = (): string[] =>
  (github.state().repositories[REPOSITORY]?.issues?.['12']?.comments ?? []).map(({ body }) => body);

test('a comment is written as it is given, and found again, within GitHub’s own description', async () => {
  expect(await client().hasComment(ISSUE, 'mark-1', START)).toBe(false);
  await client().comment(ISSUE, 'The run has ended.\n\n<!-- mark-1 -->');
  expect(comments()).toEqual(['The run has ended.\n\n<!-- mark-1 -->']);
  expect(await client().hasComment(ISSUE, 'mark-1', START)).toBe(true);
  expect(await client().hasComment(ISSUE, 'mark-2', START)).toBe(false);
  expect(github.problems).toEqual([]);
});

test('a comment among more than a page is found', async () => {
  for (let number = 1; number <= 130; number += 1) await client().comment(ISSUE, `comment-${number}.`);
  expect(await client().hasComment(ISSUE, 'comment-130.', START)).toBe(true);
  expect(github.requests.filter(({ method }) => method === 'GET').map(({ query }) => query['page'])).toEqual([
    '1',
    '2',
  ]);
});

test('an issue that is not there, and a token that may not, are told by their codes', async () => {
  await expect(client().comment({ ...ISSUE, issue: 99 }, 'x')).rejects.toMatchObject({ code: 'github_not_found' });
  await expect(client({ token: 'other' }).comment(ISSUE, 'x')).rejects.toMatchObject({ code: 'github_auth_failed' });
  expect(comments()).toEqual([]);
});

test('a GitHub that does not answer is left after the time-out', async () => {
  github.fault({ kind: 'hang', method: 'POST', path: '/comments$' });
  await expect(client({ timeoutMs: 200 }).comment(ISSUE, 'x')).rejects.toMatchObject({ code: 'github_unreachable' });
});
