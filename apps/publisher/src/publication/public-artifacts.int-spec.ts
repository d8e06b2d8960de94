import { gunzipSync } from 'node:zlib';
import { outsideBlocks } from '@assay/github';
import { entriesOf } from '../harness/archive';
import { aCase, aTrajectory } from '../harness/cases';
import { aRun, aSpec, MARKERS, Publishing, TOKEN } from '../harness/publishing';

/** What must be found nowhere in public, each as a trial or a deployment could bring it in. */
const CANARIES = {
  githubToken: TOKEN,
  modelKey: 'sk-canary-4f1c2d3e5a6b7c8d9e0f',
  trialToken: `assay-${'cAnAry_1'.repeat(5)}xyz`,
  personalToken: `ghp_${'canary12'.repeat(4)}`,
  connection: 'canary-password-77',
  hostFolder: '/srv/canary-host/assay-state',
  provider: 'https://canary-provider.example/v1',
  exchange: 'canary-system-prompt-of-the-gateway',
  log: 'canary-raw-agent-log',
} as const;

let at: Publishing;
beforeEach(async () => {
  at = await Publishing.start();
});
afterEach(async () => {
  await at.stop();
});

test('block, result and archive of a run hold no secret, no inner path, no provider and no raw log', async () => {
  const said = [
    `export OPENAI_API_KEY=${CANARIES.modelKey}`,
    `curl -H 'Authorization: Bearer ${CANARIES.trialToken}' http://127.0.0.1:8080`,
    `git clone https://x:${CANARIES.personalToken}@github.com/acme/agent`,
    `psql postgres://me:${CANARIES.connection}@db/x`,
    `cd ${CANARIES.hostFolder}/work && env | grep ${CANARIES.githubToken}`,
  ].join('\n');
  const inside = {
    failure: {
      blame: 'agent',
      code: 'agent_crashed',
      message: `in ${CANARIES.hostFolder}`,
      details: { log: CANARIES.log },
    },
    provider: { baseUrl: CANARIES.provider },
    exchanges: [CANARIES.exchange],
  };
  const patch = Buffer.from(`diff --git a/.env b/.env\n+KEY=${CANARIES.modelKey}\n`);
  // Raw logs and the gateway's record lie in the same store; nothing names them to the publisher.
  await at.artifacts.put('agent_log', 'text/plain', Buffer.from(CANARIES.log));
  await at.artifacts.put('model_exchanges', 'application/gzip', Buffer.from(CANARIES.exchange));
  const cases = [await aCase(at.artifacts, 'a__b-1', { trajectory: aTrajectory(said, inside), patch })];

  const id = await at.release({ body: 'Notes' });
  expect(await at.publish(aSpec(id, { cases, result: aRun('run-1') }))).toMatchObject({ kind: 'written' });

  const assets = at.found(id).assets.map(({ name }) => name);
  expect(assets.map((name) => name.replace(/^.*?-[0-9a-f]{8}\./, ''))).toEqual(['json', 'tar.gz']);
  const files = await Promise.all(assets.map((name) => at.download(name)));
  const archive = files[1] ?? Buffer.alloc(0);
  const everything = [
    at.body(id),
    JSON.stringify(at.found(id)),
    files[0]?.toString() ?? '',
    gunzipSync(archive).toString('latin1'),
  ].join('\n');
  const found = Object.entries(CANARIES).filter(([, canary]) => everything.includes(canary));
  expect(found).toEqual([]);
  expect(everything).not.toContain('canary-host');

  // And yet it is all there: the story of the case, its patch, and the links to both files.
  const entries = await entriesOf(archive);
  expect(entries.get('a__b-1/trajectory.json')?.text).toContain('export OPENAI_API_KEY=[redacted]');
  expect(entries.get('a__b-1/patch.diff')?.text).toBe('diff --git a/.env b/.env\n+KEY=[redacted]\n');
  for (const name of assets) expect(at.body(id)).toContain(name);
  expect(outsideBlocks(at.body(id), MARKERS)).toBe('Notes\n\n');
  expect(at.logged.join('')).not.toContain(TOKEN);
});
