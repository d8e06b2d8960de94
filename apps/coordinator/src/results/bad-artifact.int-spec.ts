import { rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ArtifactRef, Digest, RunId, TrialOutcome } from '@assay/contracts';
import { aManifest, anArtifact, aResult, completedTrial, eventually, graded, workKey } from '@assay/testing';
import { CoordinatorBench, type Held } from '../harness/test-coordinator';

// Design section 3a, "result": the coordinator checks each artifact's digest and size before it believes.

let bench: CoordinatorBench;
let runId: RunId;
beforeAll(async () => {
  bench = await CoordinatorBench.open();
  await bench.start();
  await bench.announce('trial', 4);
  await bench.announce('grade', 4);
});
beforeEach(async () => {
  runId = await bench.submit({ manifest: aManifest({ retry: { maxAttempts: 2, backoffSeconds: 0 } }) });
  await eventually(async () => {
    const rows = await bench.database.query('select 1 from work_items where run_id = $1', [runId]);
    return rows.length === 1;
  });
});
afterEach(() => bench.call('run.cancel', { runId }));
afterAll(() => bench.close());

const blob = (digest: Digest): string => join(bench.dir, 'artifacts/assay', digest.slice(0, 2), digest);
const trial = () => workKey(runId, 'trial');

/** A trial whose patch has content of its own, with everything stored. */
async function stored(content: string): Promise<{ outcome: TrialOutcome; patch: ArtifactRef }> {
  const patch = await bench.artifacts.put('patch', 'text/x-diff', Buffer.from(content));
  const trajectory = await bench.artifacts.put('trajectory', 'application/json', Buffer.from('{}'));
  return { outcome: completedTrial({ patch, trajectory }), patch };
}

const events = () =>
  bench.database.query<{ data: Record<string, unknown> }>(
    "select data from events where run_id = $1 and type = 'result.refused'",
    [runId],
  );

/** Delivers the outcome and expects that it is refused because of its patch, and tried again. */
async function refused(held: Held, outcome: TrialOutcome, patch: ArtifactRef, condition: string): Promise<void> {
  const log = await bench.artifacts.put('agent_log', 'text/plain', Buffer.from('what the agent said'));
  const reply = await bench.deliver(aResult(held, outcome, [log]));
  expect(reply).toMatchObject({
    answer: 'refused',
    reason: expect.stringContaining(`patch (${patch.digest}`) as string,
  });
  const { name, digest, size } = patch;
  expect(await events()).toEqual([
    { data: { epoch: held.epoch, worker: held.worker, artifacts: [{ name, digest, size, condition }] } },
  ]);
  expect(await bench.instanceState(trial())).toBe('RETRY_WAIT');
  const [attempt] = await bench.database.query(
    'select state, failure, image_id, outcome from attempts where run_id = $1',
    [runId],
  );
  expect(attempt).toMatchObject({
    state: 'FAILED',
    failure: { blame: 'infra', code: `artifact_${condition}`, phase: 'upload' },
    image_id: 'sha256:image',
    outcome: { kind: 'failed', usage: { calls: 0 } },
  });
  const kept = await bench.database.query('select name from artifacts where run_id = $1 order by name', [runId]);
  expect(kept).toEqual([{ name: 'agent_log' }, { name: 'trajectory' }]);
}

test('an artifact that is not in the store: refused, an event that names it, and the trial is tried again', async () => {
  const held = await bench.hold(trial());
  const { outcome, patch } = await stored('never seen again');
  await rm(blob(patch.digest));
  await refused(held, outcome, patch, 'missing');
  expect(await bench.claim(trial(), { worker: 'w-2' })).toMatchObject({ answer: 'granted', attempt: 2 });
});

test('an artifact of the right size and with other content: the same', async () => {
  const held = await bench.hold(trial());
  const { outcome, patch } = await stored('content one');
  await writeFile(blob(patch.digest), 'content two');
  await refused(held, outcome, patch, 'corrupt');
});

test('an artifact of another size: the same', async () => {
  const held = await bench.hold(trial());
  const { outcome, patch } = await stored('content of some length');
  await writeFile(blob(patch.digest), 'cut');
  await refused(held, outcome, patch, 'corrupt');
});

test('an artifact that was whole once and is gone later is found missing all the same', async () => {
  const held = await bench.hold(trial());
  const { outcome, patch } = await stored('seen before');
  await bench.deliver(aResult(held, outcome));
  expect(await bench.instanceState(trial())).toBe('GRADING');
  await rm(blob(patch.digest));
  const grade = await bench.hold(workKey(runId, 'grade'));
  expect(await bench.deliver(aResult(grade, graded(), [{ ...patch, name: 'grade_log' }]))).toMatchObject({
    answer: 'refused',
  });
});

test('tried as often as the policy says, it is INFRA_FAILED; a repeat of a refused result is recorded already', async () => {
  for (const state of ['RETRY_WAIT', 'INFRA_FAILED']) {
    const held = await bench.hold(trial());
    const result = aResult(held, completedTrial({ patch: anArtifact('patch', 'never stored') }));
    expect(await bench.deliver(result)).toMatchObject({ answer: 'refused' });
    expect(await bench.instanceState(trial())).toBe(state);
    expect(await bench.deliver(result)).toEqual({ answer: 'already_recorded' });
  }
  expect(await bench.runState(runId)).toBe('QUARANTINED');
});

test('a store that cannot be read refuses nothing: the result waits until it can', async () => {
  const held = await bench.hold(trial());
  const { outcome, patch } = await stored('unreadable for a while');
  // A link to itself: it is there and cannot be opened. The put below replaces it in one step.
  await rm(blob(patch.digest));
  await symlink(blob(patch.digest), blob(patch.digest));
  await bench.keepLeases();
  await bench.send(aResult(held, outcome));
  await eventually(() => bench.logged('Handler of a stream failed; the message is given back') > 0);
  expect(await bench.instanceState(trial())).toBe('PREPARING');
  expect(await events()).toEqual([]);
  await stored('unreadable for a while');
  await eventually(async () => (await bench.instanceState(trial())) === 'GRADING');
});
