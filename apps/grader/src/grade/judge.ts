import type { Sandbox } from '@assay/sandbox';
import type { GradeLog } from './grade-log';

/** What a judge works with: a fresh sandbox that nothing has run in, the patch, and a log for the tests' output. */
export interface JudgeRequest {
  readonly sandbox: Sandbox;
  readonly patch: Buffer;
  readonly log: GradeLog;
  /** An empty folder of the host, removed after the grade. */
  readonly dir: string;
  readonly signal: AbortSignal;
}

export interface Judgement {
  /** In [0, 1]; 1 alone is RESOLVED. */
  readonly reward: number;
  readonly suspicions: readonly string[];
  /** JSON: what the verdict rests on. */
  readonly report: string;
}

/** Applies a patch and runs a task's tests. One for each kind of task. */
export interface Judge {
  /** @throws BlamedError: everything that is no verdict */
  judge(request: JudgeRequest): Promise<Judgement>;
}
