import { generateKeyPairSync } from 'node:crypto';
import { newSigningKey, readPublicKeys, readSigningKey, sha256Of, verifyEvidence } from '@assay/evidence';
import { blockDifferences, blockDigest, blockMarkers, findBlocks, GithubApp } from '@assay/github';
import { NAMESPACE, Publishing, REPOSITORY, TOKEN } from '../harness/publishing';
import { Seeded } from '../harness/seeded';
import { Storm, type Publication, type Target } from '../harness/storm';
import { NOTES, outsideAll, wordsOf } from '../harness/storm-notes';
import { Weather } from '../harness/weather';

/** The acceptance of the release edge: 200 publications through everything that GitHub and people can do to them. */
const RUNS = 200;
const SEED = Number(process.env['ASSAY_STORM_SEED'] ?? 20_261_129);
const SUITES = ['demo', 'swe', 'plain'];
const markersOf = (suite: string) => blockMarkers(NAMESPACE, suite);
const pair = newSigningKey();
const app = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

let at: Publishing;
let storm: Storm;
let weather: Weather;
const targets: (Target & { readonly notes: string | null; readonly immutable: boolean })[] = [];
const foreign = new Map<number, unknown>();
const tokens: string[] = [];

async function upload(id: number, name: string, label: string): Promise<void> {
  const url = `${at.standin.url}/api/uploads/repos/${REPOSITORY}/releases/${id}/assets?name=${name}&label=${label}`;
  await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${TOKEN}` }, body: `${name} of ${id}` });
}

const ownNames = /^assay-(demo|swe|plain)-run-\d+-[0-9a-f]{8}\.(json|tar\.gz|intoto\.json)$/;
const foreignOf = (id: number) => at.found(id).assets.filter(({ name }) => !ownNames.test(name));
const newest = (id: number, suite: string): Publication | undefined =>
  storm.all.filter(({ target, spec }) => target.id === id && spec.result.suite === suite).at(-1);

beforeAll(async () => {
  at = await Publishing.start({ id: 1, installationId: 2, publicKey: app.publicKey });
  for (const [index, notes] of NOTES.entries()) {
    const tag = `v${index}.0.0`;
    const id = await at.release({ tag_name: tag, prerelease: true, ...(notes === null ? {} : { body: notes }) });
    await upload(id, 'cli.js', '');
    await upload(id, 'assay-demo-mine-01234567.json', 'mine');
    const immutable = index % 6 === 5;
    if (immutable) await at.api('POST', '/_standin/releases', { repository: REPOSITORY, releaseId: id, immutable });
    foreign.set(id, foreignOf(id));
    targets.push({ id, tag, notes, immutable });
  }
  const random = new Seeded(SEED);
  weather = new Weather(at.standin, REPOSITORY, random);
  const credential = new GithubApp({
    ...{ baseUrl: at.standin.url, appId: '1', installationId: 2, privateKey: app.privateKey },
    ...{ permissions: { contents: 'write' }, onToken: (token) => tokens.push(token), timeoutMs: 300 },
  });
  const signingKey = readSigningKey(pair.privatePem);
  storm = new Storm(at, weather, random, targets, SUITES, { signingKey, credential });
  await storm.blow(RUNS);
}, 300_000);

afterAll(async () => {
  await at.stop();
});

test('it was a storm: everything went wrong, publishers died, people wrote, runs were overtaken', () => {
  const kinds = ['answer', 'starter', 'cut', 'lost', 'hang', 'edit', 'revoked'];
  expect([...weather.happened.keys()].sort()).toEqual(kinds.sort());
  expect(storm.all).toHaveLength(RUNS);
  expect(storm.kills).toBeGreaterThan(10);
  expect(tokens.length).toBeGreaterThan(10);
  expect(at.standin.edits.length).toBeGreaterThan(10);
  const count = (state: Publication['state']) => storm.all.filter((one) => one.state === state).length;
  expect(count('SUPERSEDED')).toBeGreaterThan(50);
  expect(count('PUBLISHED') + count('SUPERSEDED')).toBe(RUNS);
  expect(targets.filter(({ id }) => newest(id, 'demo') !== undefined).length).toBeGreaterThan(8);
});

test('every release has exactly one block for each suite, and it is the newest run’s, as it was written', () => {
  for (const { id } of targets) {
    for (const suite of SUITES) {
      const last = newest(id, suite);
      const body = at.body(id);
      const places = findBlocks(body, markersOf(suite));
      expect([id, suite, places.length]).toEqual([id, suite, last === undefined ? 0 : 1]);
      if (last === undefined) continue;
      expect(body.slice(places[0]?.from, places[0]?.to)).toContain(last.spec.result.runId);
      expect(blockDigest(body, markersOf(suite))).toBe(last.blockDigest);
    }
  }
});

test('every release has exactly the files of those runs, whole, and the blocks point to them', async () => {
  for (const { id, tag, immutable } of targets) {
    const assets = at.found(id).assets.filter(({ name }) => ownNames.test(name));
    const wanted = SUITES.flatMap((suite) => newest(id, suite)?.assetNames ?? []);
    expect(assets.map(({ name }) => name).sort()).toEqual([...wanted].sort());
    expect(assets.filter(({ state }) => state !== 'uploaded')).toEqual([]);
    if (immutable) expect(wanted).toEqual([]);
    for (const suite of SUITES) {
      const last = newest(id, suite);
      const [json] = last?.assetNames ?? [];
      if (last === undefined || json === undefined) continue;
      expect(JSON.parse((await at.download(json, tag)).toString())).toEqual(last.spec.result);
      expect(at.body(id)).toContain(json);
      expect(last.assetNames).toHaveLength(last.spec.cases.length === 0 ? 2 : 3);
    }
  }
});

test('whoever verifies a release finds what was signed: statement, files, score from the instances, block', async () => {
  let verified = 0;
  for (const { id, tag } of targets) {
    for (const suite of SUITES) {
      const last = newest(id, suite);
      const names = last?.assetNames ?? [];
      if (last === undefined || names.length === 0) continue;
      const files = await Promise.all(names.map(async (name) => ({ name, content: await at.download(name, tag) })));
      const text = (ending: RegExp) => files.find(({ name }) => ending.test(name))?.content.toString() ?? '';
      const verdict = verifyEvidence(
        {
          envelope: text(/\.intoto\.json$/),
          files: files.map(({ name, content }) => ({ name, sha256: sha256Of(content) })),
          result: { name: names[0] ?? '', text: text(/-[0-9a-f]{8}\.json$/) },
        },
        readPublicKeys(pair.publicPem),
      );
      expect([id, suite, verdict.findings]).toEqual([id, suite, []]);
      expect(verdict.statement?.predicate.assay.runId).toBe(last.spec.result.runId);
      const links = files.map(({ name }) => ({
        name,
        url: `${at.standin.url}/${REPOSITORY}/releases/download/${tag}/${name}`,
      }));
      expect(blockDifferences(at.body(id), last.spec.result, links)).toEqual([]);
      verified += 1;
    }
  }
  expect(verified).toBeGreaterThan(20);
});

test('every other file is as it was', () => {
  for (const { id } of targets) expect(foreignOf(id)).toEqual(foreign.get(id));
});

test('every other character is as people left it: their notes, and the lines that they wrote meanwhile', () => {
  for (const { id, notes } of targets) {
    const human = at.standin.edits
      .filter(({ releaseId }) => releaseId === id)
      .reduce((text, { prepend = '', append = '' }) => `${prepend}${text}${append}`, notes ?? '');
    const outside = outsideAll(at.body(id), SUITES.map(markersOf));
    expect(wordsOf(outside)).toEqual(wordsOf(human));
    expect(outside.length - human.length).toBeLessThanOrEqual(4 * SUITES.length);
    expect(outside.length).toBeGreaterThanOrEqual(human.length);
  }
});

test('the requests were as GitHub describes them, and no token is in a log line', () => {
  expect(at.standin.problems).toEqual([]);
  for (const token of [TOKEN, ...tokens]) expect(at.logged.join('')).not.toContain(token);
});
