import { z } from 'zod';
import { Digest, InstanceId, RunId } from './ids';
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

/** What the public may know of a run: the asset on the release and the answer of `--json`. */
export const PublicResult = z.strictObject({
  schemaVersion: z.literal('assay.result/1'),
  runId: RunId,
  status: RunState,
  suite: z.string(),
  title: z.string(),
  publish: z.enum(['none', 'counts', 'score']),
  benchmarkSize: z.int().positive().nullable(),
  dataset: z.strictObject({ name: z.string(), revision: z.string() }),
  evaluated: z.strictObject({ ref: z.string(), commit: z.string(), packageVersion: z.string() }),
  agent: z.strictObject({ name: z.string(), version: z.string() }),
  model: z.string(),
  limits: z.strictObject({
    wallSeconds: z.number(),
    turns: z.number().nullable(),
    cpus: z.number(),
    memoryMb: z.number(),
  }),
  maxAttempts: z.int(),
  graderVersion: z.string(),
  sandbox: z.string(),
  manifestDigest: Digest,
  release: z.strictObject({ repository: z.string(), tag: z.string() }).nullable(),
  trigger: z.string(),
  githubRunUrl: z.string().nullable(),
  traceId: z.string().nullable(),
  counts: Counts,
  /** Null unless the run SUCCEEDED and its suite publishes scores. */
  score: Score.nullable(),
  /** What the gate was decided by, beside the instances: whoever has this file can decide it again. */
  gate: z.strictObject({
    expectedInstances: z.int().positive(),
    errorThreshold: z.int().positive(),
    forgedMarker: z.enum(['quarantine', 'ignore']),
    gradeOnly: z.boolean(),
  }),
  /** Why there is no score: empty for a run that has one. */
  reasons: z.array(QuarantineReason),
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
