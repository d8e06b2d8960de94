import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GradeSpec } from '@assay/contracts';
import type { SwebenchRow, UnpackedTask } from '@assay/suites';
import type { Judge, JudgeRequest } from '../grade/judge';
import { scriptedSandbox } from '../harness/scripted-sandbox';
import { SwebenchJudge } from '../swebench/swebench-judge';
import { HarborJudge } from './harbor-judge';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'assay-judged-'));
});
afterEach(() => rm(dir, { recursive: true }));

const spec = { patchOrigin: 'trial', grader: { timeoutSeconds: 60 } } as GradeSpec;
const task = { task: { verifier: { timeoutSeconds: 60 } }, testsDir: '/nowhere' } as UnpackedTask;
const JUDGES: [string, Judge][] = [
  ['Harbor', new HarborJudge(task, spec)],
  ['SWE-bench', new SwebenchJudge({} as SwebenchRow, spec)],
];

/** A sandbox in which whatever a judge waits for first hangs; `began` resolves then. */
function hanging() {
  let begin: () => void = () => undefined;
  const began = new Promise<void>((resolve) => (begin = resolve));
  const hang = (): Promise<never> => {
    begin();
    return new Promise(() => undefined);
  };
  return { began, sandbox: scriptedSandbox(() => ({}), { exec: hang, fetchFolder: hang }) };
}

test.each(JUDGES)(
  'a patch of a %s task that hangs in the sandbox ends at its bound, as our fault',
  async (_, judge) => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
    try {
      const { began, sandbox } = hanging();
      const { signal } = new AbortController();
      const judging = judge.judge({ sandbox, patch: Buffer.from('x'), dir, signal } as JudgeRequest);
      judging.catch(() => undefined); // expected below
      await began;
      jest.advanceTimersByTime(120_000);
      await expect(judging).rejects.toMatchObject({ blame: 'infra', code: 'patch_apply_timed_out' });
    } finally {
      jest.useRealTimers();
    }
  },
);

test.each(JUDGES)('one of a %s task ends at once with its grade', async (_, judge) => {
  const stop = new AbortController();
  const { began, sandbox } = hanging();
  const judging = judge.judge({ sandbox, patch: Buffer.from('x'), dir, signal: stop.signal } as JudgeRequest);
  judging.catch(() => undefined); // expected below
  await began;
  stop.abort(new Error('cancelled'));
  await expect(judging).rejects.toThrow('cancelled');
});
