import { readFile } from 'node:fs/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { ArtifactStore } from '@assay/artifacts';
import type { ArtifactRef } from '@assay/contracts';
import { TaskError } from '@assay/failures';
import { gradeLog, LogParserError, prepareEvalScript, reportJson, type LogGrade } from '@assay/grading';
import type { WorkContext, WorkResult } from '@assay/messaging';
import { readRow, type SwebenchRow } from '@assay/suites';
import { ARTIFACTS } from '../tokens';
import { failedGrade, patchApplyFailed, testsTimedOut } from './failed-grade';
import { GradeSandboxes, type GradeSandbox } from './grade-sandboxes';
import { applyAsOfficial } from './official-patch-chain';

const MAX_PATCH = 268_435_456;
const MAX_LOG = 268_435_456;
const EVAL_SCRIPT = '/eval.sh';

/** Grades a SWE-bench row as the official harness does: its patch chain, its script, its reading of the log. */
@Injectable()
export class SwebenchGrader {
  constructor(
    private readonly sandboxes: GradeSandboxes,
    @Inject(ARTIFACTS) private readonly artifacts: ArtifactStore,
  ) {}

  async grade(work: WorkContext<'grade'>, patchRef: ArtifactRef): Promise<WorkResult<'grade'>> {
    const started = Date.now();
    const folder = await this.sandboxes.folder(work);
    let made: GradeSandbox | null = null;
    try {
      const row = readRow(await readFile(folder.bundle));
      const patch = await this.artifacts.get(patchRef, MAX_PATCH);
      made = await this.sandboxes.create(work, null, work.spec.grader.timeoutSeconds);
      const refused = await applyAsOfficial(made.sandbox, patch, work.signal);
      work.signal.throwIfAborted();
      if (refused !== null) return failedGrade(work, patchApplyFailed(work, refused), []);
      return await this.judge(work, row, made, { patch, started });
    } finally {
      await made?.sandbox.destroy();
      await folder.remove();
    }
  }

  private async judge(
    work: WorkContext<'grade'>,
    row: SwebenchRow,
    { sandbox, imageId }: GradeSandbox,
    { patch, started }: { patch: Buffer; started: number },
  ): Promise<WorkResult<'grade'>> {
    const { timeoutSeconds, version } = work.spec.grader;
    await sandbox.putFile(EVAL_SCRIPT, Buffer.from(prepareEvalScript(row.hidden.evalScript)));
    const result = await sandbox.exec({
      command: ['/bin/bash', EVAL_SCRIPT],
      timeoutMs: timeoutSeconds * 1000,
      maxOutputBytes: MAX_LOG,
      signal: work.signal,
    });
    work.signal.throwIfAborted();
    const words = result.timedOut ? [Buffer.from(`\n\nTimeout error: ${timeoutSeconds} seconds exceeded.`)] : [];
    const logBytes = Buffer.concat([result.output, ...words]);
    const log = await this.artifacts.put('grade_log', 'text/plain', logBytes);
    if (result.timedOut) return failedGrade(work, testsTimedOut(timeoutSeconds), [log]);
    const grade = read(row, logBytes.toString('utf8'), patch.toString('utf8'));
    if (grade instanceof TaskError) return failedGrade(work, grade, [log]);
    const json = reportJson(row.instanceId, grade.report);
    const report = await this.artifacts.put('report', 'application/json', Buffer.from(json));
    const resolved = grade.resolution === 'RESOLVED_FULL';
    return {
      outcome: {
        kind: 'graded',
        verdict: resolved ? 'RESOLVED' : 'UNRESOLVED',
        reward: resolved ? 1 : 0,
        graderVersion: version,
        suspicions: grade.suspicions,
        imageId,
        durationMs: Date.now() - started,
      },
      artifacts: [log, report],
    };
  }
}

/** The official reading of a log; a log on which the official code raises counts as an error there. */
function read({ hidden }: SwebenchRow, log: string, modelPatch: string): LogGrade | TaskError {
  try {
    return gradeLog({
      log,
      FAIL_TO_PASS: [...hidden.failToPass],
      PASS_TO_PASS: [...hidden.passToPass],
      log_parser: hidden.logParser,
      eval_type: hidden.evalType,
      model_patch: modelPatch,
    });
  } catch (cause) {
    if (!(cause instanceof LogParserError)) throw cause;
    return new TaskError(`the log cannot be read: ${cause.message}`, {
      code: 'log_parser_failed',
      phase: 'grade',
      cause,
    });
  }
}
