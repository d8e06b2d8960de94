import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GithubCaller, REPOSITORY, TOKEN } from './github-caller';

const BIN = join(__dirname, '../../../../tools/github-standin/bin.mjs');

let github: GithubCaller;

beforeEach(async () => {
  github = await GithubCaller.start();
});

afterEach(async () => {
  await github.standin.stop();
});

test('a scripted answer is given as often as asked for, and nothing is done', async () => {
  const release = await github.release({ body: 'old' });
  github.standin.fault({ kind: 'answer', method: 'PATCH', status: 429, headers: { 'retry-after': '3' }, times: 2 });
  for (const expected of [429, 429, 200]) {
    const reply = await github.call('PATCH', `/releases/${release.id}`, { body: 'new' });
    expect(reply.status).toBe(expected);
    expect(reply.headers.get('retry-after')).toBe(expected === 429 ? '3' : null);
    expect((await github.read(release.id)).body).toBe(expected === 429 ? 'old' : 'new');
  }
});

test('an upload that fails upstream leaves a starter asset, which blocks its name until it is deleted', async () => {
  const release = await github.release();
  github.standin.fault({ kind: 'starter', method: 'POST' });
  expect((await github.upload(release, 'a.json')).status).toBe(502);
  const [starter] = (await github.read(release.id)).assets;
  expect(starter).toMatchObject({ name: 'a.json', state: 'starter', size: 0, digest: null });
  expect((await github.upload(release, 'a.json')).status).toBe(422);
  await github.call('DELETE', `/releases/assets/${starter?.id ?? 0}`);
  expect((await github.upload(release, 'a.json')).status).toBe(201);
  expect(github.standin.problems).toEqual([]);
});

test('a person edits between a read and the write that follows it', async () => {
  const release = await github.release({ body: 'old' });
  const edit = { repository: REPOSITORY, releaseId: release.id, append: ' and more' };
  github.standin.fault({ kind: 'edit', method: 'GET', skip: 1, edit });
  expect((await github.read(release.id)).body).toBe('old');
  expect((await github.read(release.id)).body).toBe('old');
  expect((await github.read(release.id)).body).toBe('old and more');
});

test('a lost answer: it is done, and the caller does not hear of it; a cut one is not done', async () => {
  const release = await github.release({ body: 'old' });
  github.standin.fault({ kind: 'cut', method: 'PATCH' });
  await expect(github.call('PATCH', `/releases/${release.id}`, { body: 'new' })).rejects.toThrow('fetch failed');
  expect((await github.read(release.id)).body).toBe('old');
  github.standin.fault({ kind: 'lost', method: 'PATCH' });
  await expect(github.call('PATCH', `/releases/${release.id}`, { body: 'new' })).rejects.toThrow('fetch failed');
  expect((await github.read(release.id)).body).toBe('new');
});

test('faults, edits and the state are reached over HTTP too', async () => {
  const release = await github.release({ body: 'old' });
  await github.control('POST', '/faults', { kind: 'answer', status: 503, path: '/releases/\\d+$' });
  expect((await github.call('GET', `/releases/${release.id}`)).status).toBe(503);
  await github.control('POST', '/edits', { repository: REPOSITORY, releaseId: release.id, body: 'edited' });
  expect((await github.read(release.id)).body).toBe('edited');
  const { body } = await github.control('GET', '/state');
  expect(body).toMatchObject({ repositories: { [REPOSITORY]: { releases: [{ id: release.id, body: 'edited' }] } } });
  expect((await github.control('POST', '/faults', { kind: 'nonsense' })).status).toBe(400);
});

describe('the contract', () => {
  test('names what differs from the description of GitHub', async () => {
    const release = await github.release();
    await github.call('PATCH', `/releases/${release.id}`, { body: 1 });
    await github.call('PATCH', `/releases/${release.id}`, { bodytext: 'x' });
    await github.call('GET', '/releases?perPage=3');
    github.standin.fault({ kind: 'answer', status: 200, body: { id: 'seven' } });
    await github.call('GET', `/releases/${release.id}`);
    const problems = github.standin.problems.join('\n');
    expect(problems).toContain('request/body: must be string');
    expect(problems).toContain('unknown request property bodytext');
    expect(problems).toContain('unknown query parameter perPage');
    expect(problems).toContain("answer: must have required property 'assets_url'");
    expect(problems).toContain('answer/id: must be integer');
  });
});

describe('the program', () => {
  let dir: string;

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'assay-standin-'));
  });

  afterEach(async () => {
    await rm(dir, { recursive: true });
  });

  const run = (port = '0') =>
    spawn(process.execPath, [BIN, '--state', join(dir, 'state.json'), '--repository', REPOSITORY, '--port', port], {
      env: { PATH: process.env['PATH'], GITHUB_STANDIN_TOKEN: TOKEN },
      stdio: ['ignore', 'pipe', 'pipe'],
    });

  test('keeps its state over a kill -9, on the same port', async () => {
    const first = run();
    const [line] = (await once(first.stdout, 'data')) as [Buffer];
    const url = /http:\S+/.exec(line.toString())?.[0] ?? '';
    const headers = { authorization: `Bearer ${TOKEN}` };
    const body = JSON.stringify({ tag_name: 'v1.0.0', body: 'kept' });
    expect((await fetch(`${url}/repos/${REPOSITORY}/releases`, { method: 'POST', headers, body })).status).toBe(201);
    first.kill('SIGKILL');
    await once(first, 'exit');
    expect(await readFile(join(dir, 'state.json'), 'utf8')).not.toContain(TOKEN);

    const second = run(new URL(url).port);
    await once(second.stdout, 'data');
    const found = await fetch(`${url}/repos/${REPOSITORY}/releases/tags/v1.0.0`, { headers });
    expect(await found.json()).toMatchObject({ body: 'kept' });
    const page = await (await fetch(`${url}/${REPOSITORY}/releases/tag/v1.0.0`)).text();
    expect(page).toContain('A stand-in of GitHub, not GitHub');

    const third = run(new URL(url).port);
    const [[message], [code]] = (await Promise.all([once(third.stderr, 'data'), once(third, 'exit')])) as [
      [Buffer],
      [number],
    ];
    expect([message.toString(), code]).toEqual([expect.stringMatching(/^GitHub stand-in: the port is taken .*\n$/), 1]);
    second.kill('SIGTERM');
    expect(await once(second, 'exit')).toEqual([0, null]);
  });
});
