import { RunId } from '@assay/contracts';
import { startService } from '@assay/service-kit';
import { untilClaimed, WaitingWork, withEngineAway, workKey, type StartWorker } from '@assay/testing';
import { grader } from './grader';

let waiting: WaitingWork;

beforeEach(async () => {
  waiting = await WaitingWork.of(workKey(RunId.parse('run-1'), 'grade'));
});
afterEach(async () => {
  await waiting.stop();
});

test('while the engine is away nothing is claimed and the message is given back; once it can work, it claims', async () => {
  const start: StartWorker = (settings, write) => startService(grader, settings, { write });
  const away = await withEngineAway(waiting, start);
  expect(away).toMatchObject({ claims: 0, ready: 503 });
  expect(away.refusals[0]).toContain('/nowhere/docker.sock');
  await untilClaimed(waiting, start);
});
