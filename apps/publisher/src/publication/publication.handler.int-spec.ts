import { inspect } from 'node:util';
import type { PublicationSpec } from '@assay/contracts';
import { classify } from '@assay/failures';
import { outsideBlocks } from '@assay/github';
import { aRun, aSpec, leaseLost, MARKERS, Publishing, REPOSITORY, TOKEN } from '../harness/publishing';

const NOTES = '## What is new\r\n\r\n- Faster  \r\n\r\n```\r\ncode\r\n```\r\n';

let at: Publishing;

beforeEach(async () => {
  at = await Publishing.start();
});

/** Whatever a test did: the requests were as GitHub describes them, and no log line holds the token. */
afterEach(async () => {
  await at.stop();
  expect(at.standin.problems).toEqual([]);
  expect(at.logged.join('')).not.toContain(TOKEN);
});

describe('writing', () => {
  test('a block that says the counts and links the result, and every other character as it was', async () => {
    const id = await at.release({ body: NOTES });
    const outcome = await at.publish(aSpec(id));
    const asset = at.found(id).assets[0];
    expect(outcome).toMatchObject({ kind: 'written', assets: [{ name: asset?.name }], previousBody: NOTES });
    expect(asset?.name).toMatch(/^assay-demo-run-1-[0-9a-f]{8}\.json$/);
    expect(at.body(id).startsWith(`${NOTES}\r\n${MARKERS.start}\r\n`)).toBe(true);
    expect(at.body(id)).toContain('**3 / 5, not a benchmark score**');
    expect(outsideBlocks(at.body(id), MARKERS)).toBe(`${NOTES}\r\n`);
    const address = /\]\((http\S+)\)/.exec(at.body(id))?.[1] ?? '';
    expect(await (await fetch(address)).json()).toEqual(aRun('run-1'));
  });

  test('every write was preceded by a look whether the lease is fresh', async () => {
    const id = await at.release();
    await at.publish(aSpec(id));
    expect([at.count('POST'), at.count('PATCH')]).toEqual([1, 1]);
    expect(at.asked).toBeGreaterThanOrEqual(2);
  });

  test('three deliveries write once', async () => {
    const id = await at.release({ body: NOTES });
    const outcomes = [await at.publish(aSpec(id)), await at.publish(aSpec(id)), await at.publish(aSpec(id))];
    expect([at.count('POST'), at.count('PATCH'), at.count('DELETE')]).toEqual([1, 1, 0]);
    expect(new Set(outcomes.map((one) => (one.kind === 'written' ? one.blockDigest : one.kind))).size).toBe(1);
  });

  test('three at the same time leave one block and one file', async () => {
    const id = await at.release({ body: NOTES });
    await Promise.all([at.publish(aSpec(id)), at.publish(aSpec(id)), at.publish(aSpec(id))]);
    expect(at.found(id).assets).toHaveLength(1);
    expect(at.body(id).split(MARKERS.start)).toHaveLength(2);
    expect(outsideBlocks(at.body(id), MARKERS)).toBe(`${NOTES}\r\n`);
  });

  test('a newer run of the suite takes the older one’s place, and its file goes last', async () => {
    const id = await at.release({ body: 'Top' });
    await at.publish(aSpec(id));
    await at.api('PATCH', `/repos/${REPOSITORY}/releases/${id}`, { body: `${at.body(id)}\nBottom` });
    await at.publish(aSpec(id, { result: aRun('run-2') }));
    expect(at.found(id).assets.map(({ name }) => name)).toEqual([expect.stringContaining('-run-2-') as string]);
    expect(at.body(id)).toMatch(/^Top\n\n<!--[\s\S]*run-2[\s\S]*-->\nBottom$/);
    const order = at.standin.requests.map(({ method }) => method).filter((method) => method !== 'GET');
    expect(order.slice(-3)).toEqual(['POST', 'PATCH', 'DELETE']);
  });

  test('files of people, of other suites and of look-alike names are never removed', async () => {
    const id = await at.release();
    const upload = (name: string, label: string) =>
      fetch(`${at.standin.url}/api/uploads/repos/${REPOSITORY}/releases/${id}/assets?name=${name}&label=${label}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${TOKEN}` },
        body: 'x',
      });
    await upload('cli.js', '');
    await upload('assay-demo-mine-01234567.json', 'mine');
    await at.publish(aSpec(id, { result: aRun('run-1', { suite: 'demo-2' }) }));
    await at.publish(aSpec(id));
    await at.publish(aSpec(id, { result: aRun('run-2') }));
    expect(at.found(id).assets.map(({ name }) => name)).toEqual([
      'cli.js',
      'assay-demo-mine-01234567.json',
      expect.stringContaining('assay-demo-2-run-1-') as string,
      expect.stringContaining('assay-demo-run-2-') as string,
    ]);
  });

  test('that an older file cannot be removed takes nothing from the publication', async () => {
    const id = await at.release();
    await at.publish(aSpec(id));
    at.standin.fault({ kind: 'answer', method: 'DELETE', status: 403 });
    expect(await at.publish(aSpec(id, { result: aRun('run-2') }))).toMatchObject({ kind: 'written' });
    expect(at.found(id).assets).toHaveLength(2);
    expect(at.logged.join('')).toContain('older files could not be removed');
  });

  test('an immutable release gets the block without a file', async () => {
    const id = await at.release({ body: NOTES });
    await at.api('POST', '/_standin/releases', { repository: REPOSITORY, releaseId: id, immutable: true });
    expect(await at.publish(aSpec(id))).toMatchObject({ kind: 'written', assets: [] });
    expect(at.count('POST')).toBe(0);
    expect(at.body(id)).not.toContain('](');
  });

  test('a server that calls the release immutable only when it is written to gets the same', async () => {
    const id = await at.release();
    const body = { message: 'Cannot upload assets to an immutable release' };
    at.standin.fault({ kind: 'answer', method: 'POST', status: 422, body });
    expect(await at.publish(aSpec(id))).toMatchObject({ kind: 'written', assets: [] });
  });
});

describe('people who write at the same time', () => {
  const edit = (releaseId: number, change: object) => ({ repository: REPOSITORY, releaseId, ...change });

  test('an edit between the first look and the write is kept', async () => {
    const id = await at.release({ body: NOTES });
    // The first look is answered, then a person adds a line, then the publisher goes on.
    at.standin.fault({ kind: 'edit', method: 'GET', edit: edit(id, { append: 'Added by hand\r\n' }) });
    await at.publish(aSpec(id));
    expect(outsideBlocks(at.body(id), MARKERS)).toBe(`${NOTES}Added by hand\r\n\r\n`);
  });

  test('an edit right after the write is kept, and the block stands', async () => {
    const id = await at.release({ body: NOTES });
    at.standin.fault({ kind: 'edit', method: 'PATCH', edit: edit(id, { prepend: 'First!\r\n' }) });
    expect(await at.publish(aSpec(id))).toMatchObject({ kind: 'written' });
    expect(outsideBlocks(at.body(id), MARKERS)).toBe(`First!\r\n${NOTES}\r\n`);
    expect(at.count('PATCH')).toBe(1);
  });

  test('a person who saves an old copy over the block does not undo it', async () => {
    const id = await at.release({ body: NOTES });
    at.standin.fault({ kind: 'edit', method: 'PATCH', edit: edit(id, { body: `${NOTES}More\r\n` }) });
    expect(await at.publish(aSpec(id))).toMatchObject({ kind: 'written', previousBody: `${NOTES}More\r\n` });
    expect(outsideBlocks(at.body(id), MARKERS)).toBe(`${NOTES}More\r\n\r\n`);
    expect(at.count('PATCH')).toBe(2);
  });

  test('somebody who undoes every write is not fought for ever', async () => {
    const id = await at.release({ body: NOTES });
    at.standin.fault({ kind: 'edit', method: 'PATCH', times: 9, edit: edit(id, { body: NOTES }) });
    expect((await at.failure(aSpec(id))).code).toBe('release_drift');
    expect([at.count('PATCH'), at.body(id)]).toEqual([3, NOTES]);
  });
});

describe('when GitHub fails', () => {
  test('a 502 with a starter asset: the upload is done again', async () => {
    const id = await at.release();
    at.standin.fault({ kind: 'starter', method: 'POST' });
    expect(await at.publish(aSpec(id))).toMatchObject({ kind: 'written' });
    expect(at.found(id).assets).toMatchObject([{ state: 'uploaded' }]);
  });

  test('already_exists with another content: it is replaced', async () => {
    const id = await at.release();
    await at.publish(aSpec(id));
    const { name } = at.found(id).assets[0] ?? { name: '' };
    await at.removeAsset(at.found(id).assets[0]?.id ?? 0);
    const uploads = `${at.standin.url}/api/uploads/repos/${REPOSITORY}/releases/${id}/assets?name=${name}`;
    await fetch(uploads, { method: 'POST', headers: { authorization: `Bearer ${TOKEN}` }, body: 'half' });
    await at.publish(aSpec(id));
    const download = `${at.standin.url}/${REPOSITORY}/releases/download/v1.2.0/${name}`;
    expect(await (await fetch(download)).json()).toEqual(aRun('run-1'));
  });

  test.each([429, 403])(
    '%i with Retry-After: nothing is sent before its end, and the notes are read anew',
    async (status) => {
      const id = await at.release({ body: NOTES });
      const body = { message: 'You have exceeded a secondary rate limit.' };
      at.standin.fault({ kind: 'answer', method: 'PATCH', status, body, headers: { 'retry-after': '1' } });
      const published = at.publish(aSpec(id));
      while (at.count('PATCH') === 0) await new Promise(setImmediate);
      const asked = Date.now();
      const seen = at.standin.requests.length;
      at.standin.edit({ repository: REPOSITORY, releaseId: id, append: 'During the wait\r\n' });
      while (at.standin.requests.length === seen) await new Promise(setImmediate);
      expect(Date.now() - asked).toBeGreaterThan(900);
      await published;
      expect(outsideBlocks(at.body(id), MARKERS)).toBe(`${NOTES}During the wait\r\n\r\n`);
    },
  );

  test('a wait that is too long is left to the coordinator', async () => {
    const id = await at.release();
    at.standin.fault({ kind: 'answer', method: 'PATCH', status: 429, headers: { 'retry-after': '3600' } });
    const { code, error } = await at.failure(aSpec(id));
    expect(code).toBe('github_rate_limited');
    expect(classify(error, 'publish')).toMatchObject({ blame: 'infra', details: { retryAfterMs: 3_600_000 } });
  });

  test('a write whose answer was lost is found done', async () => {
    const id = await at.release({ body: NOTES });
    at.standin.fault({ kind: 'lost', method: 'PATCH' });
    expect(await at.publish(aSpec(id))).toMatchObject({ kind: 'written' });
    expect([at.count('PATCH'), at.count('POST')]).toEqual([1, 1]);
  });

  test.each([
    ['a refused token', 401, { message: 'Bad credentials' }, 'github_auth_failed'],
    ['a token without the right', 403, { message: 'Resource not accessible by integration' }, 'github_forbidden'],
    ['a release that is gone', 404, { message: 'Not Found' }, 'github_not_found'],
    [
      'notes that GitHub calls too long',
      422,
      { message: 'body is too long (maximum is 125000 characters)' },
      'github_body_too_long',
    ],
  ])('%s: one failure with the real cause', async (_name, status, body, code) => {
    const id = await at.release();
    at.standin.fault({ kind: 'answer', method: 'PATCH', status, body });
    const failure = await at.failure(aSpec(id));
    expect(failure.code).toBe(code);
    expect(failure.error.message).toContain(body.message);
    expect(at.count('PATCH')).toBe(1);
    const told = JSON.stringify(classify(failure.error, 'publish')) + inspect(failure.error, { depth: 20 });
    expect(told).not.toContain(TOKEN);
  });

  test('notes without room: nothing is written, and a shorter block where that fits', async () => {
    const full = await at.release({ body: 'n'.repeat(125_000) });
    expect((await at.failure(aSpec(full))).code).toBe('release_body_too_long');
    expect([at.count('PATCH'), at.count('POST'), at.body(full)]).toEqual([0, 0, 'n'.repeat(125_000)]);
    const tight = await at.release({ tag_name: 'v1.3.0', prerelease: true, body: 'n'.repeat(124_300) });
    const result = aRun('run-1', { release: { repository: REPOSITORY, tag: 'v1.3.0' } });
    await at.publish(aSpec(tight, { tag: 'v1.3.0', result }));
    expect(at.body(tight)).toContain('Instances: 3 resolved');
    expect(at.body(tight)).not.toContain('Method');
    expect(at.body(tight).startsWith('n'.repeat(124_300))).toBe(true);
    expect(at.body(tight).length).toBeLessThanOrEqual(125_000);
  });
});

describe('releases that are not the one of the run are refused for good', () => {
  const refusal = async (spec: PublicationSpec) => {
    const outcome = await at.publish(spec);
    if (outcome.kind !== 'refused') throw new Error(outcome.kind);
    return outcome;
  };

  test('another tag: the tag families of one repository do not mix', async () => {
    const id = await at.release({ tag_name: 'desktop-v1.2.0', body: NOTES });
    const { code, reason } = await refusal(aSpec(id));
    expect(code).toBe('release_mismatch');
    expect(reason).toContain('tag is desktop-v1.2.0, not v1.2.0');
    expect([at.count('PATCH'), at.count('POST'), at.body(id)]).toEqual([0, 0, NOTES]);
  });

  test('a tag that was changed between the look and the write', async () => {
    const id = await at.release({ body: NOTES });
    const path = `/repos/${REPOSITORY}/releases/${id}`;
    const ensureFresh = async (): Promise<void> => {
      await at.api('PATCH', path, { tag_name: 'v9.9.9' });
    };
    expect(await at.publish(aSpec(id), { ensureFresh })).toMatchObject({ kind: 'refused', code: 'release_mismatch' });
    expect(at.body(id)).toBe(NOTES);
  });

  test('another repository, and a result of another release', async () => {
    const id = await at.release();
    const result = aRun('run-1', { release: { repository: 'acme/other', tag: 'v1.2.0' } });
    expect((await refusal(aSpec(id, { result }))).reason).toContain('repository of the result is acme/other');
    expect((await refusal(aSpec(id, { result: aRun('run-1', { release: null }) }))).code).toBe('release_mismatch');
    expect(at.count('PATCH')).toBe(0);
  });

  test('one that was deleted, though its repository is shown', async () => {
    const id = await at.release();
    await at.remove(id);
    expect(await refusal(aSpec(id))).toEqual({
      kind: 'refused',
      code: 'release_deleted',
      reason: 'the release v1.2.0 of acme/agent was deleted',
    });
  });

  test('one that was deleted between two looks, or made anew under its tag', async () => {
    const id = await at.release();
    expect((await refusal(aSpec(id + 1))).code).toBe('release_mismatch');
    const ensureFresh = async () => {
      if (at.count('DELETE') === 0) await at.remove(id);
    };
    expect(await at.publish(aSpec(id), { ensureFresh })).toMatchObject({ kind: 'refused', code: 'release_deleted' });
  });

  test('but one of which nothing is shown may be there: it is looked at again', async () => {
    const id = await at.release();
    await at.api('POST', '/_standin/repositories', { repository: 'acme/renamed' });
    at.standin.fault({ kind: 'answer', method: 'GET', status: 404, times: 4, body: { message: 'Not Found' } });
    expect((await at.failure(aSpec(id))).code).toBe('github_not_found');
    expect(await at.publish(aSpec(id))).toMatchObject({ kind: 'written' });
  });

  test('a draft is refused for now', async () => {
    const id = await at.release({ draft: true });
    expect((await at.failure(aSpec(id))).code).toBe('release_is_draft');
    await at.api('PATCH', `/repos/${REPOSITORY}/releases/${id}`, { draft: false });
    expect(await at.publish(aSpec(id))).toMatchObject({ kind: 'written' });
  });
});

describe('reading again one lease later', () => {
  const digestOf = async (id: number): Promise<string> => {
    const outcome = await at.publish(aSpec(id));
    return outcome.kind === 'written' ? outcome.blockDigest : '';
  };
  const names = (id: number): string[] => at.found(id).assets.map(({ name }) => name);

  test('a block that stands is verified without a write, also after the notes were saved on the page', async () => {
    const id = await at.release({ body: 'One\nTwo' });
    const blockDigest = await digestOf(id);
    const body = at.body(id).replaceAll('\n', '\r\n');
    await at.api('PATCH', `/repos/${REPOSITORY}/releases/${id}`, { body: `Zero\r\n${body}` });
    const spec = aSpec(id, { phase: 'verify', blockDigest, assetNames: names(id) });
    expect(await at.publish(spec)).toEqual({ kind: 'verified', blockDigest });
    expect(at.found(id).assets).toHaveLength(1);
    expect(at.count('PATCH')).toBe(2);
  });

  test.each([
    ['gone', () => 'only notes'],
    ['changed', (body: string) => body.replace('3 / 5', '5 / 5')],
    ['doubled', (body: string) => `${body}\n\n${body}`],
  ])('a block that is %s is written again', async (_name, change) => {
    const id = await at.release({ body: 'Notes' });
    const blockDigest = await digestOf(id);
    await at.api('PATCH', `/repos/${REPOSITORY}/releases/${id}`, { body: change(at.body(id)) });
    const outcome = await at.publish(aSpec(id, { phase: 'verify', blockDigest }));
    expect(outcome).toMatchObject({ kind: 'written', blockDigest });
    expect(at.body(id)).toContain('**3 / 5, not a benchmark score**');
    expect(at.body(id).split(MARKERS.start)).toHaveLength(2);
  });

  test('notes that somebody filled up in its place keep it out until they are shortened', async () => {
    const id = await at.release({ body: 'Notes' });
    const blockDigest = await digestOf(id);
    const assetNames = names(id);
    const full = 'n'.repeat(125_000);
    await at.api('PATCH', `/repos/${REPOSITORY}/releases/${id}`, { body: full });
    const spec = aSpec(id, { phase: 'verify', blockDigest, assetNames });
    expect((await at.failure(spec)).code).toBe('release_body_too_long');
    expect([at.body(id), names(id)]).toEqual([full, assetNames]);
    await at.api('PATCH', `/repos/${REPOSITORY}/releases/${id}`, { body: 'Shorter' });
    expect(await at.publish(aSpec(id))).toMatchObject({ kind: 'written', blockDigest });
    expect(at.body(id).startsWith(`Shorter\n\n${MARKERS.start}`)).toBe(true);
    expect(names(id)).toEqual(assetNames);
  });

  test('a block that somebody hid by a code fence above it is moved above that', async () => {
    const id = await at.release({ body: 'Notes' });
    const blockDigest = await digestOf(id);
    const hidden = at.body(id).replace('Notes', 'Notes\n\n```\nan example');
    await at.api('PATCH', `/repos/${REPOSITORY}/releases/${id}`, { body: hidden });
    const spec = aSpec(id, { phase: 'verify', blockDigest, assetNames: names(id) });
    expect(await at.publish(spec)).toMatchObject({ kind: 'written', blockDigest });
    expect(at.body(id).startsWith(`Notes\n\n${MARKERS.start}`)).toBe(true);
    expect(at.body(id).endsWith(`${MARKERS.end}\n\`\`\`\nan example\n\n`)).toBe(true);
    expect(await at.publish({ ...spec, assetNames: names(id) })).toEqual({ kind: 'verified', blockDigest });
  });

  test('a file that somebody deleted is uploaded again', async () => {
    const id = await at.release();
    const blockDigest = await digestOf(id);
    const assetNames = names(id);
    await at.removeAsset(at.found(id).assets[0]?.id ?? 0);
    const outcome = await at.publish(aSpec(id, { phase: 'verify', blockDigest, assetNames }));
    expect(outcome).toMatchObject({ kind: 'written', blockDigest });
    expect(names(id)).toEqual(assetNames);
  });

  test('a file of an earlier run that could not be removed goes now', async () => {
    const id = await at.release();
    await at.publish(aSpec(id));
    at.standin.fault({ kind: 'answer', method: 'DELETE', status: 500 });
    const second = await at.publish(aSpec(id, { result: aRun('run-2') }));
    const blockDigest = second.kind === 'written' ? second.blockDigest : null;
    expect(at.found(id).assets).toHaveLength(2);
    const assetNames = names(id).slice(1);
    await at.publish(aSpec(id, { phase: 'verify', blockDigest, assetNames, result: aRun('run-2') }));
    expect(names(id)).toEqual(assetNames);
  });
});

describe('a publisher that ends in the middle', () => {
  test.each([
    ['before the upload', { kind: 'hang', method: 'POST' }],
    ['in the upload, which leaves a piece', { kind: 'starter', method: 'POST' }],
    ['between upload and notes', { kind: 'hang', method: 'PATCH' }],
    ['after the notes were written', { kind: 'lost', method: 'PATCH' }],
  ] as const)('%s: the next one finishes, and nothing is doubled', async (_name, fault) => {
    const id = await at.release({ body: NOTES });
    const killed = new AbortController();
    at.standin.fault(fault);
    const first = at.failure(aSpec(id), { signal: killed.signal });
    while (at.count(fault.method) === 0) await new Promise(setImmediate);
    killed.abort(leaseLost());
    expect((await first).code).toBe('lease_lost');

    expect(await at.publish(aSpec(id))).toMatchObject({ kind: 'written' });
    expect(at.found(id).assets).toMatchObject([{ state: 'uploaded' }]);
    expect(at.body(id).split(MARKERS.start)).toHaveLength(2);
    expect(outsideBlocks(at.body(id), MARKERS)).toBe(`${NOTES}\r\n`);
  });

  test('one whose lease is not fresh writes nothing at all', async () => {
    const id = await at.release({ body: NOTES });
    const { code } = await at.failure(aSpec(id), { ensureFresh: () => Promise.reject(leaseLost()) });
    expect(code).toBe('lease_lost');
    expect([at.count('POST'), at.count('PATCH'), at.body(id)]).toEqual([0, 0, NOTES]);
  });

  test('one that loses its lease after the upload does not touch the notes', async () => {
    const id = await at.release({ body: NOTES });
    const ensureFresh = () => (at.count('POST') === 0 ? Promise.resolve() : Promise.reject(leaseLost()));
    expect((await at.failure(aSpec(id), { ensureFresh })).code).toBe('lease_lost');
    expect([at.count('POST'), at.body(id)]).toEqual([1, NOTES]);
  });
});
