import { createHash } from 'node:crypto';
import { type AssetBody, GithubCaller, REPOSITORY, type ReleaseBody } from './github-caller';

let github: GithubCaller;

beforeEach(async () => {
  github = await GithubCaller.start();
});

/** Whatever a test did: every request and every answer was as GitHub describes them. */
afterEach(async () => {
  await github.standin.stop();
  expect(github.standin.problems).toEqual([]);
});

describe('releases', () => {
  test('are created, found by tag and id, listed newest first, edited and deleted', async () => {
    const first = await github.release({ body: 'notes', name: 'One' });
    const second = await github.release({ tag_name: 'v1.3.0-rc.1', prerelease: true });
    expect((await github.call<ReleaseBody>('GET', '/releases/tags/v1.2.0')).body.id).toBe(first.id);
    expect((await github.read(first.id)).body).toBe('notes');
    expect((await github.call<ReleaseBody>('GET', '/releases/latest')).body.id).toBe(first.id);
    const listed = await github.call<ReleaseBody[]>('GET', '/releases');
    expect(listed.body.map(({ id }) => id)).toEqual([second.id, first.id]);
    const edited = await github.call<ReleaseBody>('PATCH', `/releases/${first.id}`, { body: 'other\r\n  ' });
    expect([edited.status, edited.body.body]).toEqual([200, 'other\r\n  ']);
    expect((await github.call('DELETE', `/releases/${first.id}`)).status).toBe(204);
    expect((await github.call('GET', `/releases/${first.id}`)).status).toBe(404);
  });

  test('a draft is hidden from readers and from the search by tag until it is published', async () => {
    const draft = await github.release({ draft: true });
    expect((await github.call('GET', '/releases/tags/v1.2.0')).status).toBe(404);
    const asReader = { authorization: 'Bearer read-token' };
    expect((await github.call('GET', `/releases/${draft.id}`, undefined, asReader)).status).toBe(404);
    expect((await github.call<unknown[]>('GET', '/releases', undefined, asReader)).body).toEqual([]);
    expect((await github.read(draft.id)).draft).toBe(true);
    await github.call('PATCH', `/releases/${draft.id}`, { draft: false });
    expect((await github.call('GET', '/releases/tags/v1.2.0', undefined, asReader)).status).toBe(200);
  });

  test('a body of 125,000 characters is taken, one more is refused as GitHub words it', async () => {
    const release = await github.release();
    expect((await github.call('PATCH', `/releases/${release.id}`, { body: 'é'.repeat(125_000) })).status).toBe(200);
    const refused = await github.call('PATCH', `/releases/${release.id}`, { body: 'x'.repeat(125_001) });
    expect(refused.status).toBe(422);
    expect(refused.body.errors).toEqual([
      {
        resource: 'Release',
        code: 'custom',
        field: 'body',
        message: 'body is too long (maximum is 125000 characters)',
      },
    ]);
    expect((await github.read(release.id)).body).toHaveLength(125_000);
  });

  test('a second release of a tag is refused; a tag with a slash is found', async () => {
    await github.release({ tag_name: 'cli/v1.0.0' });
    expect((await github.call('POST', '/releases', { tag_name: 'cli/v1.0.0' })).body.errors).toEqual([
      { resource: 'Release', code: 'already_exists', field: 'tag_name' },
    ]);
    expect((await github.call('GET', `/releases/tags/${encodeURIComponent('cli/v1.0.0')}`)).status).toBe(200);
  });

  test('lists come in pages with links', async () => {
    for (let at = 0; at < 5; at += 1) await github.release({ tag_name: `v0.${at}.0` });
    const page = await github.call<ReleaseBody[]>('GET', '/releases?per_page=2&page=2');
    expect(page.body.map(({ tag_name }) => tag_name)).toEqual(['v0.2.0', 'v0.1.0']);
    expect(page.headers.get('link')).toMatch(/page=3>; rel="next".*page=3>; rel="last"|rel="prev"/);
  });

  test('a GET with its entity tag is answered 304 until something changes', async () => {
    const release = await github.release();
    const first = await github.call('GET', `/releases/${release.id}`);
    const known = { 'if-none-match': first.headers.get('etag') ?? '' };
    expect((await github.call('GET', `/releases/${release.id}`, undefined, known)).status).toBe(304);
    await github.call('PATCH', `/releases/${release.id}`, { body: 'new' });
    expect((await github.call('GET', `/releases/${release.id}`, undefined, known)).status).toBe(200);
  });
});

test('addresses in answers are those by which the caller came, so that containers can follow them', async () => {
  const { id } = await github.release();
  const { port } = new URL(github.standin.url);
  const { body } = await github.call<ReleaseBody>('GET', `http://localhost:${port}/repos/${REPOSITORY}/releases/${id}`);
  expect([body.upload_url, body.html_url].map((url) => new URL(url).host)).toEqual(
    Array.from({ length: 2 }, () => `localhost:${port}`),
  );
});

describe('assets', () => {
  test('are uploaded where upload_url says, and nowhere else', async () => {
    const release = await github.release();
    expect((await github.call('POST', `/releases/${release.id}/assets?name=a.json`, '{}')).status).toBe(404);
    const { status, body } = await github.upload(release, 'a.json', '{"a":1}');
    expect(status).toBe(201);
    const digest = `sha256:${createHash('sha256').update('{"a":1}').digest('hex')}`;
    expect(body).toMatchObject({ name: 'a.json', state: 'uploaded', size: 7, digest });
    expect((await github.read(release.id)).assets).toMatchObject([{ id: body.id }]);
  });

  test('a second upload of a name is already_exists, until the first is deleted', async () => {
    const release = await github.release();
    const { body: asset } = await github.upload(release, 'a.json');
    const conflict = await github.upload<{ errors: unknown[] }>(release, 'a.json');
    expect(conflict.status).toBe(422);
    expect(conflict.body.errors).toEqual([{ resource: 'ReleaseAsset', code: 'already_exists', field: 'name' }]);
    expect((await github.call('DELETE', `/releases/assets/${asset.id}`)).status).toBe(204);
    expect((await github.upload(release, 'a.json')).status).toBe(201);
  });

  test.each([
    ['plain-name_1.2.json', 'plain-name_1.2.json'],
    ['two words & more.json', 'two.words.more.json'],
    ['.hidden', 'default.hidden'],
    ['ends.', 'ends'],
  ])('the name %j becomes %j', async (asked, kept) => {
    expect((await github.upload(await github.release(), asked)).body.name).toBe(kept);
  });

  test('content is downloaded by the API through a redirect, and by the link', async () => {
    const { body: asset } = await github.upload(await github.release(), 'a.json', '{"a":1}');
    const octets = { accept: 'application/octet-stream' };
    const found = await github.call('GET', `/releases/assets/${asset.id}`, undefined, octets);
    expect([found.status, found.headers.get('location')]).toEqual([302, asset.browser_download_url]);
    expect(await (await fetch(asset.browser_download_url)).text()).toBe('{"a":1}');
  });

  test('are listed and renamed', async () => {
    const release = await github.release();
    const { body: asset } = await github.upload(release, 'a.json');
    await github.call('PATCH', `/releases/assets/${asset.id}`, { name: 'b.json', label: 'B' });
    const { body } = await github.call<AssetBody[]>('GET', `/releases/${release.id}/assets`);
    expect(body.map(({ name }) => name)).toEqual(['b.json']);
  });

  test('an immutable release takes no assets and gives none away, but its notes can change', async () => {
    await github.control('POST', '/repositories', { repository: REPOSITORY, immutableReleases: true });
    const draft = await github.release({ draft: true });
    const { body: asset } = await github.upload(draft, 'a.json');
    await github.call('PATCH', `/releases/${draft.id}`, { draft: false });
    expect((await github.read(draft.id)).immutable).toBe(true);
    const refused = await github.upload<{ message: string }>(draft, 'b.json');
    expect([refused.status, refused.body.message]).toEqual([422, 'Cannot upload assets to an immutable release']);
    expect((await github.call('DELETE', `/releases/assets/${asset.id}`)).status).toBe(422);
    expect((await github.call('PATCH', `/releases/${draft.id}`, { body: 'new' })).status).toBe(200);
    expect((await github.call('PATCH', `/releases/${draft.id}`, { tag_name: 'v9.9.9' })).status).toBe(422);
  });
});

describe('tags', () => {
  interface Pointed {
    object: { sha: string; type: string };
  }

  test('publishing a release makes its tag, a commit', async () => {
    await github.release({ target_commitish: 'a'.repeat(40) });
    const { body } = await github.call<Pointed>('GET', '/git/ref/tags/v1.2.0');
    expect(body.object).toMatchObject({ sha: 'a'.repeat(40), type: 'commit' });
  });

  test('annotated tags are followed object by object, nested ones too', async () => {
    await github.control('POST', '/tags', { repository: REPOSITORY, tag: 'v2', commit: 'b'.repeat(40), nested: 2 });
    const reference = await github.call<Pointed>('GET', '/git/ref/tags/v2');
    expect(reference.body.object.type).toBe('tag');
    const outer = await github.call<Pointed>('GET', `/git/tags/${reference.body.object.sha}`);
    expect(outer.body.object.type).toBe('tag');
    const inner = await github.call<Pointed>('GET', `/git/tags/${outer.body.object.sha}`);
    expect(inner.body.object).toMatchObject({ sha: 'b'.repeat(40), type: 'commit' });
  });

  test('references are made, moved, matched and deleted through the API', async () => {
    const made = { tag: 'v3', message: 'three', object: 'c'.repeat(40), type: 'commit' };
    const { body: tag } = await github.call<{ sha: string }>('POST', '/git/tags', made);
    expect((await github.call('POST', '/git/refs', { ref: 'refs/tags/v3', sha: tag.sha })).status).toBe(201);
    expect((await github.call('POST', '/git/refs', { ref: 'refs/tags/v3', sha: tag.sha })).status).toBe(422);
    await github.call('PATCH', '/git/refs/tags/v3', { sha: 'd'.repeat(40) });
    const matching = await github.call<Pointed[]>('GET', '/git/matching-refs/tags/v');
    expect(matching.body.map(({ object }) => object.type)).toEqual(['commit']);
    expect((await github.call('DELETE', '/git/refs/tags/v3')).status).toBe(204);
    expect((await github.call('GET', '/git/ref/tags/v3')).status).toBe(404);
  });
});

describe('who may', () => {
  test.each([
    ['nobody', {}, 401, 'Requires authentication'],
    ['a wrong token', { authorization: 'Bearer wrong' }, 401, 'Bad credentials'],
    [
      'a token that may only read',
      { authorization: 'token read-token' },
      403,
      'Resource not accessible by integration',
    ],
  ])('%s may not write', async (_who, headers, status, message) => {
    const release = await github.release();
    const reply = await fetch(`${github.standin.url}/repos/${REPOSITORY}/releases/${release.id}`, {
      method: 'PATCH',
      headers,
      body: '{"body":"x"}',
    });
    expect([reply.status, ((await reply.json()) as { message: string }).message]).toEqual([status, message]);
    expect((await github.read(release.id)).body).toBeNull();
  });

  test('a token that has expired is refused from then on', async () => {
    const release = await github.release();
    github.standin.setToken('renewed');
    expect((await github.call('GET', `/releases/${release.id}`)).status).toBe(401);
  });

  test('an unknown repository, release or path is 404; broken JSON is 400', async () => {
    expect((await github.call('GET', `${github.standin.url}/repos/acme/other/releases`)).status).toBe(404);
    expect((await github.call('PATCH', '/releases/1', { body: '' })).status).toBe(404);
    expect((await github.call('GET', '/issues')).status).toBe(404);
    expect((await github.call('POST', '/releases', '{')).status).toBe(400);
  });
});
