import { eventually } from '@assay/testing';
import type { RunView } from '@assay/contracts';
import { REPOSITORY, scratchFolder, TestDeployment } from '../harness/deployment';
import { writeSuite } from '../harness/suite-builder';

// Two suites on one release, as processes: the second waits until what the first wrote was read again.

let scratch: Awaited<ReturnType<typeof scratchFolder>>;
let deployment: TestDeployment;

beforeAll(async () => {
  scratch = await scratchFolder();
  const common = { agent: 'oracle', publish: 'counts' } as const;
  await writeSuite(scratch.dir, { name: 'first', ...common, tasks: [{ id: 'a' }], chain: ['second_2'] });
  await writeSuite(scratch.dir, { name: 'second_2', ...common, tasks: [{ id: 'b' }, { id: 'c' }] });
  deployment = await TestDeployment.start({ suitesDir: scratch.dir });
}, 120_000);
afterAll(async () => {
  await deployment.stop();
  await scratch.remove();
});

interface Release {
  readonly id: number;
  readonly body: string;
  readonly assets: readonly { name: string }[];
}

const NOTES = 'Notes of a human.';
const releaseOf = (tag: string): Promise<Release> =>
  deployment.github<Release>('GET', `/repos/${REPOSITORY}/releases/tags/${tag}`);

async function submitted(tag: string, key: string): Promise<string> {
  const made = { tag_name: tag, target_commitish: 'a'.repeat(40), name: tag, body: NOTES };
  const { id } = await deployment.github<Release>('POST', `/repos/${REPOSITORY}/releases`, made);
  const release = { repository: REPOSITORY, id, tag };
  return (await deployment.submit({ suite: 'first', release, trigger: 'release' }, key)).runId;
}

async function following(runId: string): Promise<RunView> {
  const seen: (string | null)[] = [];
  await eventually(
    async () => {
      const next = (await deployment.run(runId)).chain[0]?.runId ?? null;
      seen.push(next);
      return next !== null;
    },
    { timeoutMs: 60_000, what: 'the second suite to start' },
  );
  return deployment.run(seen.at(-1) ?? '');
}

test('the second suite starts after the first was PUBLISHED, and has a section and a file of its own', async () => {
  const first = await submitted('v1.0.0', 'release-1');
  const second = await following(first);
  const before = await deployment.run(first);
  expect(before.publicationState).toBe('PUBLISHED');
  expect(before.chain).toMatchObject([{ suite: 'second_2', state: 'STARTED', runId: second.runId, reason: null }]);
  expect(second).toMatchObject({
    suite: 'second_2',
    chainOf: first,
    release: before.release,
    evaluated: { ref: 'v1.0.0', commit: before.evaluated.commit, packageVersion: '1.0.0' },
  });
  expect(Date.parse(second.createdAt)).toBeGreaterThan(Date.parse(before.finishedAt ?? ''));

  const done = await deployment.finished(second.runId);
  expect(done).toMatchObject({ state: 'SUCCEEDED', publicationState: 'PUBLISHED', counts: { total: 2, resolved: 2 } });
  const { body, assets } = await releaseOf('v1.0.0');
  expect(body.startsWith(NOTES)).toBe(true);
  for (const suite of ['first', 'second_2']) expect(body.split(`### ${suite}\n`)).toHaveLength(2);
  expect(body.match(/<!-- [^>]*:start -->/g)).toHaveLength(2);
  expect(assets.map(({ name }) => name).sort()).toEqual([
    expect.stringContaining(`assay-first-${first}`),
    expect.stringContaining(`assay-second_2-${second.runId}`),
  ]);
  // The same hand-in again is the same run, and starts nothing more.
  const again = await deployment.call('GET', '/v1/runs');
  expect((again.body as { runs: unknown[] }).runs).toHaveLength(2);
}, 180_000);

test('a GitHub that refuses the first write keeps the second suite waiting', async () => {
  const fault = { kind: 'answer', status: 502, method: 'PATCH', path: '/releases/\\d+$', times: 1_000 };
  await deployment.github('POST', '/_standin/faults', fault);
  const first = await submitted('v2.0.0', 'release-2');
  const view = (): Promise<RunView> => deployment.run(first);
  await eventually(async () => (await view()).state === 'SUCCEEDED' && (await view()).lastError !== null, {
    timeoutMs: 90_000,
    what: 'the publication to fail',
  });
  expect(await view()).toMatchObject({ publicationState: 'PENDING', chain: [{ state: 'PENDING', runId: null }] });

  await fetch(`${deployment.githubUrl}/_standin/faults`, { method: 'DELETE' });
  const second = await following(first);
  expect((await view()).publicationState).toBe('PUBLISHED');
  expect((await deployment.finished(second.runId)).publicationState).toBe('PUBLISHED');
}, 240_000);
