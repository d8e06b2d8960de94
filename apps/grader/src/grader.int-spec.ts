import { RunId } from '@assay/contracts';
import { startService, type RunningService } from '@assay/service-kit';
import { eventually, WaitingWork, workKey } from '@assay/testing';
import { grader } from './grader';

let waiting: WaitingWork;

beforeEach(async () => {
  waiting = await WaitingWork.of(workKey(RunId.parse('run-1'), 'grade'));
});
afterEach(async () => {
  delete process.env['DOCKER_HOST'];
  await waiting.stop();
});

test('while the engine is away nothing is claimed and the message is given back; once it can work, it claims', async () => {
  const refusals: string[] = [];
  const log = (line: string): void => {
    if (line.includes('Not able to work now; giving the message back unclaimed')) refusals.push(line);
  };
  const start = (sandboxes: string): Promise<RunningService> =>
    startService(grader, { ...waiting.env, ASSAY_SANDBOXES: sandboxes }, { write: log });
  process.env['DOCKER_HOST'] = 'unix:///nowhere/docker.sock';
  const unable = await start('docker');
  await eventually(() => refusals.length >= 2);
  expect(refusals[0]).toContain('/nowhere/docker.sock');
  expect(waiting.claims).toBe(0);
  expect((await fetch(`${unable.url}/readyz`)).status).toBe(503);
  await unable.stop();

  const able = await start('process');
  await eventually(() => waiting.claims === 1);
  await able.stop();
});
