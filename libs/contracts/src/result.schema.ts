import { z } from 'zod';
import { Digest, InstanceId, RunId } from './ids';
import { SuiteKind } from './manifest.schema';
import { RunBudget } from './outcome.schema';
import { InstanceState, RunState } from './states.schema';

export const Counts = z.strictObject({
  total: z.int().nonnegative(),
  resolved: z.int().nonnegative(),
  unresolved: z.int().nonnegative(),
  executionError: z.int().nonnegative(),
  infraFailed: z.int().nonnegative(),
  cancelled: z.int().nonnegative(),
});
export type Counts = z.infer<typeof Counts>;

const percent = z.number().min(0).max(100);

/**
 * A score and all that must stand beside it. It can only be built whole: there is no type for a bare number.
 * `percent` = resolved / (resolved + unresolved), two decimals.
 */
export const Score = z.strictObject({
  percent,
  /** RESOLVED + UNRESOLVED. */
  scorable: z.int().positive(),
  /** The official convention: resolved / all instances. */
  percentOfAll: percent,
  /** What the score of all instances could be at best: every error counted as resolved. */
  percentAtMost: percent,
  /** scorable / total. */
  coveragePercent: percent,
  /** 95 % Wilson interval of `percent`. */
  wilson95: z.strictObject({ low: percent, high: percent }),
});
export type Score = z.infer<typeof Score>;

/** Why a run has no score; a stable code and a sentence. */
export const QuarantineReason = z.strictObject({ code: z.string(), message: z.string() });
export type QuarantineReason = z.infer<typeof QuarantineReason>;

/** Tokens and money of a run: the sum over its attempts, whether their work counted in the end or not. */
export const RunUsage = z.strictObject({
  calls: z.int().nonnegative(),
  promptTokens: z.int().nonnegative(),
  completionTokens: z.int().nonnegative(),
  cachedTokens: z.int().nonnegative(),
  /** US dollars. Null: unknown, because the price of at least one attempt's calls is. */
  costUsd: z.number().nonnegative().nullable(),
  /** At least one attempt's tokens were counted by us, since its provider reported none. */
  estimated: z.boolean(),
  /** Attempts that are summed up here. */
  attempts: z.int().nonnegative(),
  /** Attempts that left no count: lost with their worker, or failed before they could tell. */
  uncountedAttempts: z.int().nonnegative(),
});
export type RunUsage = z.infer<typeof RunUsage>;

const resultBase = {
  schemaVersion: z.literal('assay.result/1'),
  runId: RunId,
  suite: z.string(),
  title: z.string(),
  model: z.string(),
  release: z.strictObject({ repository: z.string(), tag: z.string() }).nullable(),
  trigger: z.string(),
  githubRunUrl: z.string().nullable(),
  traceId: z.string().nullable(),
};

/** What the public may know of a run that was measured: the asset on the release and the answer of `--json`. */
export const PublicResult = z.strictObject({
  ...resultBase,
  status: RunState.exclude(['FAILED']),
  publish: z.enum(['none', 'counts', 'score']),
  benchmarkSize: z.int().positive().nullable(),
  dataset: z.strictObject({ name: z.string(), revision: z.string() }),
  evaluated: z.strictObject({ ref: z.string(), commit: z.string(), packageVersion: z.string() }),
  agent: z.strictObject({ name: z.string(), version: z.string() }),
  limits: z.strictObject({
    wallSeconds: z.number(),
    turns: z.number().nullable(),
    cpus: z.number(),
    memoryMb: z.number(),
  }),
  maxAttempts: z.int(),
  graderVersion: z.string(),
  /** What a grade can reach: nothing, or the outside as in the official harness. Says nothing in the process sandbox. */
  graderNetwork: z.enum(['none', 'outside']),
  sandbox: z.string(),
  manifestDigest: Digest,
  counts: Counts,
  /** Null unless the run SUCCEEDED and its suite publishes scores. */
  score: Score.nullable(),
  /** What the gate was decided by, beside the instances: whoever has this file can decide it again. */
  gate: z.strictObject({
    kind: SuiteKind.default('benchmark'),
    expectedInstances: z.int().positive(),
    errorThreshold: z.int().positive(),
    forgedMarker: z.enum(['quarantine', 'ignore']),
    gradeOnly: z.boolean(),
    /** The run's own budget that ran out before every trial had its due. */
    budgetReached: RunBudget.nullable().default(null),
  }),
  /** Why there is no score: empty for a run that has one. */
  reasons: z.array(QuarantineReason),
  usage: RunUsage,
  startedAt: z.iso.datetime().nullable(),
  finishedAt: z.iso.datetime().nullable(),
  instances: z.array(
    z.strictObject({
      id: InstanceId,
      sample: z.int().nonnegative(),
      state: InstanceState,
      attempts: z.int().nonnegative(),
      /** Failure code of an instance without a verdict. */
      failure: z.string().nullable(),
      limit: z.string().nullable(),
      suspicions: z.array(z.string()),
      /** A grade's result is stored. */
      hasResult: z.boolean(),
      /** The trial's trajectory is stored. */
      hasTrajectory: z.boolean(),
    }),
  ),
});
export type PublicResult = z.infer<typeof PublicResult>;

/** What the public may know of a run that FAILED: it was never frozen, so there is nothing that it was measured with. */
export const FailedResult = z.strictObject({
  ...resultBase,
  status: z.literal('FAILED'),
  /** Null: never resolved. */
  evaluated: z.strictObject({ ref: z.string(), commit: z.string().nullable(), packageVersion: z.string().nullable() }),
  /** The real cause, without secrets and without paths of our machines. */
  failure: z.strictObject({ code: z.string(), message: z.string() }),
  submittedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime(),
});
export type FailedResult = z.infer<typeof FailedResult>;

/** What the public may know of any run that is over. */
export const RunResult = z.discriminatedUnion('status', [PublicResult, FailedResult]);
export type RunResult = z.infer<typeof RunResult>;
