import { InfraError, TaskError } from '@assay/failures';
import type { GradeSpec } from '@assay/contracts';
import {
  gradeLog,
  LogParserError,
  reportJson,
  UnknownParserError,
  prepareEvalScript,
  type LogGrade,
} from '@assay/grading';
import type { SwebenchRow } from '@assay/suites';
import { applyInTime, applySeconds } from '../grade/apply-in-time';
import type { Judge, Judgement, JudgeRequest } from '../grade/judge';
import { runTests, type TestRun } from '../grade/run-tests';
import { applyByChain } from './patch-chain';

const EVAL_SCRIPT = '/eval.sh';

/** From here up an exit code of bash tells of a signal. */
const SIGNALLED = 128;

/** Judges a SWE-bench row as the official harness does: patch chain, eval.sh, log parser. Its holes become suspicions. */
export class SwebenchJudge implements Judge {
  constructor(
    private readonly row: SwebenchRow,
    private readonly spec: GradeSpec,
  ) {}

  async judge(request: JudgeRequest): Promise<Judgement> {
    const { sandbox, patch, log, signal } = request;
    const { patchOrigin: origin, grader } = this.spec;
    await applyInTime({ origin, seconds: applySeconds(grader.timeoutSeconds), signal }, (inTime) =>
      applyByChain(sandbox, { patch, origin, signal: inTime }),
    );
    await sandbox.putFile(EVAL_SCRIPT, Buffer.from(prepareEvalScript(this.row.hidden.evalScript)));
    const run = await runTests(request, {
      command: ['/bin/bash', EVAL_SCRIPT],
      timeoutSeconds: grader.timeoutSeconds,
    });
    const grade = this.grade(await log.text(), patch.toString('utf8'));
    if (!grade.found && run.outOfMemory) {
      // The harness sets no bound of memory: under ours a log cut short is no verdict.
      throw new InfraError('the tests ran out of memory', { code: 'tests_out_of_memory', phase: 'grade' });
    }
    return {
      reward: grade.report.resolved ? 1 : 0,
      suspicions: [...grade.suspicions, ...runSuspicions(run)],
      report: reportJson(this.spec.instance.id, grade.report),
    };
  }

  private grade(log: string, patch: string): LogGrade {
    const { failToPass, passToPass, logParser, evalType } = this.row.hidden;
    try {
      return gradeLog({
        log,
        FAIL_TO_PASS: failToPass,
        PASS_TO_PASS: passToPass,
        log_parser: logParser,
        eval_type: evalType,
        model_patch: patch,
      });
    } catch (error) {
      // The harness counts a log that its parser stumbles over as an error of the instance.
      if (error instanceof LogParserError || error instanceof UnknownParserError) {
        throw new TaskError(error.message, {
          code: 'log_parser_failed',
          phase: 'grade',
          details: { logParser },
          cause: error,
        });
      }
      throw error;
    }
  }
}

/** What the run itself shows: whoever kills the eval script can have its end markers printed by others. */
function runSuspicions({ exitCode, outOfMemory }: TestRun): string[] {
  return [...(exitCode >= SIGNALLED ? ['eval_script_killed'] : []), ...(outOfMemory ? ['tests_out_of_memory'] : [])];
}
