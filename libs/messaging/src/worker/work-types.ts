import type {
  ArtifactRef,
  AttemptId,
  BuildDigest,
  ClaimId,
  GradeOutcome,
  GradeSpec,
  PublicationOutcome,
  PublicationSpec,
  RunBudget,
  TrialOutcome,
  TrialSpec,
  Usage,
  WorkerId,
  WorkKey,
  WorkKind,
  WorkPhase,
} from '@assay/contracts';

interface Specs {
  trial: TrialSpec;
  grade: GradeSpec;
  publication: PublicationSpec;
}

interface Outcomes {
  trial: TrialOutcome;
  grade: GradeOutcome;
  publication: PublicationOutcome;
}

export type SpecOf<K extends WorkKind> = Specs[K];
export type OutcomeOf<K extends WorkKind> = Outcomes[K];

/** One piece of granted work, as its handler sees it. */
export interface WorkContext<K extends WorkKind = WorkKind> {
  readonly key: WorkKey;
  /** With `claimId` the fence: goes into every name of an outside effect (containers, objects). */
  readonly epoch: number;
  readonly claimId: ClaimId;
  /** 1 for the first. For a grade: the grade try. */
  readonly attempt: number;
  readonly attemptId: AttemptId;
  readonly spec: SpecOf<K>;
  /** When the work is aborted in any case: its own deadline, not that of the lease, which moves with each heartbeat. */
  readonly deadline: Date;
  /**
   * Aborted when the work must stop. Its reason is an InfraError: `lease_lost`, `work_cancelled`, `worker_shutdown`
   * (phase lease; whatever the handler does then, no result is sent) or `work_deadline` (a failed outcome is sent).
   */
  readonly signal: AbortSignal;
  /** For a trial. */
  readonly runBudget: RunBudgetWatch;
  /** Trace context of the work's span, for what the work starts itself. */
  readonly traceparent: string;
  /** Tells what the work is doing now; shown as the instance's state. Sent with a heartbeat at once. */
  phase(phase: WorkPhase): void;
  /** For a trial: asked at every heartbeat from now on what it has spent so far, which counts against its run's budget. */
  spending(read: () => Usage): void;
  /**
   * Resolves if a heartbeat was accepted within the last `maxAgeMs`, sending one if need be.
   * @throws InfraError `lease_lost` otherwise
   */
  ensureFresh(maxAgeMs: number): Promise<void>;
}

/** Whether the budget of the whole run is used up: a trial then ends as at a limit of its own, with a result. */
export interface RunBudgetWatch {
  /** Aborted when it is. */
  readonly spent: AbortSignal;
  /** Which of them; null: none. */
  reached(): RunBudget | null;
}

/** What a handler answers: the outcome, and references of all it has stored (every log included). */
export interface WorkResult<K extends WorkKind> {
  readonly outcome: OutcomeOf<K>;
  readonly artifacts: readonly ArtifactRef[];
}

/** What is known of a failed piece of work. */
export interface FailedWork {
  readonly kind: WorkKind;
  readonly spec: SpecOf<WorkKind>;
  /** The last phase that the handler told of. */
  readonly phase: WorkPhase;
}

/** What this process is as a worker. */
export interface WorkerOptions {
  /** Name of the process: `newWorkerId()`. */
  readonly worker: WorkerId;
  readonly buildDigest: BuildDigest;
  /** Pieces of work at the same time, for each kind that is handled. */
  readonly slots: number;
  /**
   * Asked before each claim: what it rejects with says why this worker cannot work now (engine away, disk full). The
   * message is then given back for `refusedDelayMs`, and no attempt is spent. It must end by itself.
   */
  readonly ready?: () => Promise<void>;
  /**
   * Turns what a handler threw into a failed outcome. Default: `failedOutcome`, which blames by `classify` of
   * libs/failures.
   */
  readonly toFailedOutcome?: (error: unknown, work: FailedWork) => OutcomeOf<WorkKind>;
  /**
   * How long a piece of work may take in all, in milliseconds: its own deadline. Default: `longestWorkMs`.
   */
  readonly longestWorkMs?: (spec: SpecOf<WorkKind>) => number;
}
