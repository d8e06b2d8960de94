import type { RunId } from '@assay/contracts';
import {
  aFailure,
  aManifest,
  anArtifact,
  completedTrial,
  failedTrial,
  graded,
  workKey,
  writtenPublication,
} from '@assay/testing';
import { WorkBench } from '../harness/work-bench';
import type { BadArtifact } from './bad-artifact';

// A result whose artifacts are not in the store as it says: our fault, whatever the outcome.

let bench: WorkBench;
let runId: RunId;
beforeAll(async () => {
  bench = await WorkBench.open();
});
afterAll(() => bench.close());
beforeEach(async () => {
  await bench.reset();
  const release = { repository: 'example/agent', id: 7, tag: 'v1.0.0' };
  runId = await bench.submit({ manifest: aManifest(), release });
});

const trial = () => workKey(runId);
const grade = () => workKey(runId, 'grade');
const publication = () => workKey(runId, 'publication');
const bad = (name: string, condition: BadArtifact['condition'] = 'missing'): BadArtifact => ({
  artifact: anArtifact(name),
  condition,
});
const refusals = () => bench.database.query("select data from events where type = 'result.refused' order by id");
const REFUSED = { answer: 'refused', reason: expect.any(String) as string };

test('a crash of the agent whose log is missing is tried again: its evidence is not there', async () => {
  const log = anArtifact('agent_log');
  const outcome = failedTrial(aFailure('agent', 'agent_crashed'));
  const recorded = await bench.record(await bench.start(trial()), outcome, [log], [bad('agent_log')]);
  expect(recorded).toMatchObject({ reply: REFUSED, next: 'retry' });
  expect(await bench.instance(trial())).toMatchObject({ state: 'RETRY_WAIT', failure: { code: 'artifact_missing' } });
});

test('a verdict whose log is corrupt is graded again, and its trial stands', async () => {
  await bench.record(await bench.start(trial()), completedTrial());
  const recorded = await bench.record(
    await bench.start(grade()),
    graded(),
    [anArtifact('grade_log')],
    [bad('grade_log', 'corrupt')],
  );
  expect(recorded).toMatchObject({ reply: REFUSED, next: 'retry' });
  expect(await bench.tries('grade', runId)).toMatchObject([
    { state: 'FAILED', verdict: null, failure: { code: 'artifact_corrupt' } },
  ]);
  expect((await bench.record(await bench.start(grade()), graded())).next).toBe('RESOLVED');
  expect(await bench.tries('trial', runId)).toHaveLength(1);
});

test('a publication whose result file is missing is written again', async () => {
  await bench.record(await bench.start(trial()), completedTrial());
  await bench.record(await bench.start(grade()), graded());
  const recorded = await bench.record(await bench.start(publication()), writtenPublication(), [], [bad('result')]);
  expect(recorded).toMatchObject({ reply: REFUSED, next: 'retry' });
  expect(await bench.run(runId)).toMatchObject({ state: 'SUCCEEDED', publication_state: 'PENDING' });
});

test('one event names every artifact and what is wrong with it', async () => {
  const held = await bench.start(trial());
  await bench.record(held, completedTrial(), [], [bad('patch'), bad('trajectory', 'corrupt')]);
  expect(await refusals()).toEqual([
    {
      data: {
        epoch: held.epoch,
        worker: held.worker,
        artifacts: [
          { ...nameless(anArtifact('patch')), condition: 'missing' },
          { ...nameless(anArtifact('trajectory')), condition: 'corrupt' },
        ],
      },
    },
  ]);
});

test('under a fence that is over nothing is closed', async () => {
  const first = await bench.start(trial());
  await bench.release(first);
  const second = await bench.start(trial(), { worker: 'w-2' });
  const { reply } = await bench.record(first, completedTrial(), [], [bad('patch')]);
  expect(reply).toEqual({ answer: 'refused', reason: 'epoch 1 is over, 3 is current' });
  expect((await bench.record(second, completedTrial())).reply).toEqual({ answer: 'recorded' });
});

/** As the event shows it. */
function nameless({ mediaType: _, ...rest }: ReturnType<typeof anArtifact>) {
  return rest;
}
