import { z } from 'zod';
import { BuildDigest, Digest, InstanceId } from './ids';
import { RetryPolicy } from './policy';

/** A blob in the artifact store. */
export const ArtifactRef = z.strictObject({
  /** What it is: `patch`, `trajectory`, `agent_log`, `grade_log`, `report`, `task_bundle`, `manifest`, `result`. */
  name: z.string().regex(/^[a-z][a-z0-9_]{0,63}$/),
  digest: Digest,
  /** Bytes. */
  size: z.int().nonnegative(),
  mediaType: z.string().max(100),
});
export type ArtifactRef = z.infer<typeof ArtifactRef>;

/** What a suite lets out: nothing, counts ("k / N, not a benchmark score"), or a score. */
export const PublishMode = z.enum(['none', 'counts', 'score']);
export type PublishMode = z.infer<typeof PublishMode>;

/**
 * What a suite is for. A benchmark measures an agent and may publish a score; a diagnostic checks the pipeline with agents
 * that need no model or bypass it (the reference solution, nothing, a model called directly); infrastructure starts
 * sandboxes and runs no agent. The last two never publish a score.
 */
export const SuiteKind = z.enum(['benchmark', 'diagnostic', 'infrastructure']);
export type SuiteKind = z.infer<typeof SuiteKind>;

/** A suite that is run for the same release once this one's publication is verified. */
export const ChainedSuite = z.strictObject({
  suite: z.string().min(1),
  limit: z.int().positive().max(100_000).optional().describe('its first so many instances; default: all'),
  instanceId: InstanceId.optional().describe('this instance alone; excludes any limit but 1'),
});
export type ChainedSuite = z.infer<typeof ChainedSuite>;

/** The image of an instance: built from the bundle's environment/Dockerfile, or named. */
export const ImageSource = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('build'), contextDigest: Digest }),
  z.strictObject({ kind: z.literal('reference'), reference: z.string().min(1), digest: z.string().optional() }),
]);
export type ImageSource = z.infer<typeof ImageSource>;

/** What a frozen instance of a grade-only run has in place of a trial. */
export const FrozenPrediction = z.strictObject({
  /** `model_name_or_path` as it was handed in. */
  model: z.string().min(1),
  /** Null: no patch, or an empty one. */
  patch: ArtifactRef.nullable(),
  trajectory: ArtifactRef.nullable(),
});
export type FrozenPrediction = z.infer<typeof FrozenPrediction>;

/** One frozen instance. */
export const ManifestInstance = z.strictObject({
  id: InstanceId,
  /** How the task is read: a Harbor task folder as a tar, or one SWE-bench row as JSON. */
  source: z.enum(['harbor', 'swebench']),
  /** The task's whole content, so that nothing can change after freezing. */
  bundle: ArtifactRef,
  image: ImageSource,
  /** Only in grade-only runs: there every instance has one, and none has a trial. */
  prediction: FrozenPrediction.optional(),
});
export type ManifestInstance = z.infer<typeof ManifestInstance>;

/** Bounds of one trial. Null: no bound of that kind. */
export const TrialLimits = z.strictObject({
  wallSeconds: z.number().positive(),
  turns: z.int().positive().nullable(),
  costUsd: z.number().positive().nullable(),
  calls: z.int().positive().nullable(),
  /** Prompt and completion tokens together. */
  tokens: z.int().positive().nullable().default(null),
  cpus: z.number().positive(),
  memoryMb: z.int().positive(),
  diskMb: z.int().positive(),
  pids: z.int().positive(),
});
export type TrialLimits = z.infer<typeof TrialLimits>;

/** What a trial's workspace holds of git history that its HEAD does not reach: nothing, or whatever the image has. */
export const GitHistory = z.enum(['cut', 'kept']);
export type GitHistory = z.infer<typeof GitHistory>;

/** Bounds of a whole run, over all its trials and their tries. Null: no bound of that kind. */
export const RunLimits = z.strictObject({
  calls: z.int().positive().nullable().default(null),
  /** Prompt and completion tokens together. */
  tokens: z.int().positive().nullable().default(null),
  costUsd: z.number().positive().nullable().default(null),
  /** Since the first trial was granted. */
  wallSeconds: z.number().positive().nullable().default(null),
});
export type RunLimits = z.infer<typeof RunLimits>;

/** How a grade's sandbox is laid out (design rule 7): frozen, because it decides verdicts. */
export const GraderSpec = z.strictObject({
  version: z.string().min(1),
  network: z.enum(['none', 'outside']),
  user: z.string().nullable(),
  timeoutSeconds: z.number().positive(),
  cpus: z.number().positive(),
  memoryMb: z.int().positive(),
});
export type GraderSpec = z.infer<typeof GraderSpec>;

export const AgentSpec = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9-]{0,63}$/),
  version: z.string().min(1),
  integrity: z.string().nullable(),
  /** Agent-specific settings from the suite file. */
  options: z.record(z.string(), z.unknown()).default({}),
});
export type AgentSpec = z.infer<typeof AgentSpec>;

/** Everything a run was measured with. Content-addressed: its digest is the sha256 of its canonical JSON. */
export const Manifest = z.strictObject({
  schemaVersion: z.literal('assay.manifest/1'),
  suite: z.strictObject({
    name: z.string(),
    /** sha256 of the suite file's bytes. */
    digest: Digest,
    kind: SuiteKind.default('benchmark'),
    publish: PublishMode,
    /** Whether the redacted trajectories, and the patches, become assets of the release. */
    publishTrajectories: z.boolean().default(false),
    publishPatches: z.boolean().default(false),
    /** Runs that follow this one, in this order. */
    chain: z.array(ChainedSuite).default([]),
    /** After this many INFRA_FAILED the rest is cancelled; 0: never stop early. Not the gate on a score. */
    abortAfterInfraFailures: z.int().nonnegative().default(0),
    /** Instances of the whole benchmark; a manifest with fewer is a part of it. Null: not a benchmark. */
    benchmarkSize: z.int().positive().nullable(),
    /** EXECUTION_ERROR + INFRA_FAILED must stay below this. */
    errorThreshold: z.int().positive(),
    /** `error`: an agent that reached a limit is EXECUTION_ERROR instead of being graded. */
    onLimit: z.enum(['grade', 'error']),
    /** A forged exit-code marker on a RESOLVED quarantines the run unless this is `ignore`. */
    forgedMarker: z.enum(['quarantine', 'ignore']),
    title: z.string(),
  }),
  dataset: z.strictObject({ name: z.string(), revision: z.string() }),
  instances: z.array(ManifestInstance).min(1),
  sandbox: z.enum(['docker', 'process']),
  agent: AgentSpec,
  model: z.strictObject({ name: z.string().min(1) }),
  history: GitHistory.default('cut'),
  limits: TrialLimits,
  runLimits: RunLimits.prefault({}),
  retry: RetryPolicy,
  grader: GraderSpec,
  evaluated: z.strictObject({ ref: z.string(), commit: z.string(), packageVersion: z.string() }),
  /** Null: any build may work on the run. */
  buildDigest: BuildDigest.nullable(),
});
export type Manifest = z.infer<typeof Manifest>;

/** Whether the run grades predictions that were handed in: it has no trials and never publishes. */
export function isGradeOnly({ instances }: Manifest): boolean {
  return instances.some(({ prediction }) => prediction !== undefined);
}
