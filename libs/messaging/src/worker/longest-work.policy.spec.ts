import { gradeSpec, trialSpec } from '../harness/builders';
import { longestWorkMs } from './longest-work.policy';
import { newWorkerId } from './worker-id';

test('a trial may take its own time and an hour around it, a grade likewise', () => {
  expect(longestWorkMs(trialSpec('a'))).toBe(600_000 + 3_600_000);
  expect(longestWorkMs(gradeSpec('a'))).toBe(60_000 + 3_600_000);
});

test('a worker has a name of its own each time, with the process id in it', () => {
  const names = Array.from({ length: 50 }, newWorkerId);
  expect(new Set(names).size).toBe(50);
  for (const name of names) expect(name).toContain(`-${process.pid}-`);
});
