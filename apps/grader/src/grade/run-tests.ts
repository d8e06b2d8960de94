import { InfraError, TaskError } from '@assay/failures';
import type { ExecResult } from '@assay/sandbox';
import type { JudgeRequest } from './judge';

export interface TestCommand {
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutSeconds: number;
}

/** A run of the tests that ended by itself. */
export interface TestRun extends ExecResult {
  readonly exitCode: number;
}

/**
 * Runs a task's tests to their end, both streams into the log. The time is bounded from outside.
 * @throws TaskError `tests_timed_out`, `log_too_large`; InfraError `tests_killed`, `tests_out_of_memory`
 */
export async function runTests({ sandbox, log, signal }: JudgeRequest, tests: TestCommand): Promise<TestRun> {
  const { command, env, timeoutSeconds } = tests;
  const result = await sandbox.exec({
    command,
    ...(env === undefined ? {} : { env }),
    timeoutMs: timeoutSeconds * 1000,
    maxOutputBytes: 0,
    signal: AbortSignal.any([signal, log.stop]),
    onOutput: log.write,
    watchMemory: true,
  });
  signal.throwIfAborted();
  log.settle();
  const { exitCode, timedOut, outOfMemory, durationMs } = result;
  if (timedOut) {
    throw new TaskError(`the tests took longer than ${timeoutSeconds} s`, {
      code: 'tests_timed_out',
      phase: 'grade',
      details: { timeoutSeconds },
    });
  }
  if (exitCode === null) {
    throw new InfraError(outOfMemory ? 'the tests ran out of memory' : 'the tests were killed from outside', {
      code: outOfMemory ? 'tests_out_of_memory' : 'tests_killed',
      phase: 'grade',
      details: { durationMs },
    });
  }
  return { ...result, exitCode };
}
