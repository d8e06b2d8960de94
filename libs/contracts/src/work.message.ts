import { z } from 'zod';
import { AttemptId, BuildDigest, ClaimId, InstanceId, RunId, WorkerId } from './ids';
import { AgentSpec, ArtifactRef, GitHistory, GraderSpec, ManifestInstance, TrialLimits } from './manifest.schema';
import { GradeOutcome, PublicationOutcome, RunBudget, TrialOutcome, Usage } from './outcome.schema';
import { RunResult } from './result.schema';

export const WorkKind = z.enum(['trial', 'grade', 'publication']);
export type WorkKind = z.infer<typeof WorkKind>;

/** A publication is one per run: it has this in place of an instance id. */
export const PUBLICATION_INSTANCE = InstanceId.parse('release');

/** Names one piece of work. The identity of an instance is (run, instance, sample). */
export const WorkKey = z.strictObject({
  kind: WorkKind,
  runId: RunId,
  instanceId: InstanceId,
  sample: z.int().min(0).max(9999),
});
export type WorkKey = z.infer<typeof WorkKey>;

/** W3C trace context of the sender; absent when nothing is traced. */
export const Traceparent = z.string().regex(/^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/);

/** `work.<kind>.<run>.<instance>`: a wake-up that carries ids and no authority. */
export const WorkMessage = z.strictObject({ key: WorkKey });
export type WorkMessage = z.infer<typeof WorkMessage>;

/** `run.submitted.<run>`: the dispatcher has created the run and its instances. */
export const RunSubmittedMessage = z.strictObject({ runId: RunId });
export type RunSubmittedMessage = z.infer<typeof RunSubmittedMessage>;

export const ClaimRequest = z.strictObject({
  claimId: ClaimId,
  key: WorkKey,
  worker: WorkerId,
  buildDigest: BuildDigest,
  /** True when no other slot of this worker holds work: a repeated grade of timed-out tests wants that. */
  idle: z.boolean(),
});
export type ClaimRequest = z.infer<typeof ClaimRequest>;

export const TrialSpec = z.strictObject({
  kind: z.literal('trial'),
  instance: ManifestInstance,
  sandbox: z.enum(['docker', 'process']),
  agent: AgentSpec,
  model: z.string(),
  limits: TrialLimits,
  history: GitHistory,
  publishesScore: z.boolean(),
});
export type TrialSpec = z.infer<typeof TrialSpec>;

export const GradeSpec = z.strictObject({
  kind: z.literal('grade'),
  instance: ManifestInstance,
  sandbox: z.enum(['docker', 'process']),
  /** Null: an empty patch, UNRESOLVED without a container. */
  patch: ArtifactRef.nullable(),
  /** `trial`: extracted by us and already applied once; `prediction`: handed in. */
  patchOrigin: z.enum(['trial', 'prediction']),
  grader: GraderSpec,
  limits: TrialLimits,
  /** The trial's image id: trial and grade of an attempt use the same image. Null without a trial. */
  imageId: z.string().nullable(),
});
export type GradeSpec = z.infer<typeof GradeSpec>;

const StoredBlob = ArtifactRef.pick({ digest: true, size: true });

/** What the trial that counts left of one instance, where its suite lets that out. */
export const PublishedCase = z.strictObject({
  instanceId: InstanceId,
  sample: z.int().nonnegative(),
  trajectory: StoredBlob.nullable(),
  patch: StoredBlob.nullable(),
});
export type PublishedCase = z.infer<typeof PublishedCase>;

export const PublicationSpec = z.strictObject({
  kind: z.literal('publication'),
  /** `write`: write the block and the asset. `verify`: read again, one lease after the write. */
  phase: z.enum(['write', 'verify']),
  repository: z.string(),
  releaseId: z.int().positive(),
  tag: z.string(),
  result: RunResult,
  /** For the archive on the release; empty where the suite lets out neither trajectories nor patches. */
  cases: z.array(PublishedCase),
  /** Digest of the block that the write left, for `verify`. */
  blockDigest: z.string().nullable(),
  /** Names of the assets that it points to, for `verify`. */
  assetNames: z.array(z.string()),
});
export type PublicationSpec = z.infer<typeof PublicationSpec>;

export const WorkSpec = z.discriminatedUnion('kind', [TrialSpec, GradeSpec, PublicationSpec]);
export type WorkSpec = z.infer<typeof WorkSpec>;

const retryInMs = z.number().nonnegative();

export const ClaimReply = z.discriminatedUnion('answer', [
  z.strictObject({
    answer: z.literal('granted'),
    epoch: z.int().positive(),
    /** 1 for the first. For a grade: the grade try. */
    attempt: z.int().positive(),
    attemptId: AttemptId,
    spec: WorkSpec,
    /** When the lease lapses without a heartbeat. */
    deadline: z.iso.datetime(),
    leaseMs: z.number().positive(),
    /** Parent of the worker's spans. */
    traceparent: Traceparent.nullable(),
  }),
  /** The work is finished: ack. */
  z.strictObject({ answer: z.literal('done') }),
  /** Not due before a later time; PostgreSQL will wake somebody: ack. */
  z.strictObject({ answer: z.literal('waiting') }),
  /** Another worker holds it: give back for `retryInMs`. */
  z.strictObject({ answer: z.literal('held'), retryInMs }),
  /** This worker may not have it (wrong build, paused run): give back for `retryInMs`. */
  z.strictObject({ answer: z.literal('refused'), reason: z.string(), retryInMs }),
  /** The same claim was granted before and has lost its epoch since: drop it, send no verb. */
  z.strictObject({ answer: z.literal('lost') }),
]);
export type ClaimReply = z.infer<typeof ClaimReply>;

/** What a worker is doing; shown as the instance's state. */
export const WorkPhase = z.enum(['PREPARING', 'RUNNING_AGENT', 'UPLOADING', 'GRADING', 'PUBLISHING']);
export type WorkPhase = z.infer<typeof WorkPhase>;

export const HeartbeatRequest = z.strictObject({
  key: WorkKey,
  epoch: z.int().positive(),
  claimId: ClaimId,
  worker: WorkerId,
  phase: WorkPhase,
  /** What a trial has spent at the model gateway so far; null where nothing is counted (yet): other work, agents without a model. */
  usage: Usage.nullable(),
});
export type HeartbeatRequest = z.infer<typeof HeartbeatRequest>;

export const HeartbeatReply = z.discriminatedUnion('answer', [
  z.strictObject({ answer: z.literal('ok'), deadline: z.iso.datetime() }),
  /** As `ok`, and the run's budget is used up, perhaps by what this heartbeat tells: the trial ends now, as at a limit of its own. */
  z.strictObject({ answer: z.literal('spent'), deadline: z.iso.datetime(), budget: RunBudget }),
  z.strictObject({ answer: z.literal('lost'), reason: z.string() }),
]);
export type HeartbeatReply = z.infer<typeof HeartbeatReply>;

/** On SIGTERM: back to queued, the attempt not counted. */
export const ReleaseRequest = z.strictObject({
  key: WorkKey,
  epoch: z.int().positive(),
  claimId: ClaimId,
  worker: WorkerId,
});
export type ReleaseRequest = z.infer<typeof ReleaseRequest>;

export const ReleaseReply = z.discriminatedUnion('answer', [
  z.strictObject({ answer: z.literal('ok') }),
  z.strictObject({ answer: z.literal('lost'), reason: z.string() }),
]);
export type ReleaseReply = z.infer<typeof ReleaseReply>;

const resultBase = {
  key: WorkKey,
  epoch: z.int().positive(),
  claimId: ClaimId,
  worker: WorkerId,
  /** Everything the outcome names and every log; stored before the result is sent. */
  artifacts: z.array(ArtifactRef),
};

/** `result.<kind>.<run>.<instance>`. */
export const ResultMessage = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('trial'), ...resultBase, outcome: TrialOutcome }),
  z.strictObject({ kind: z.literal('grade'), ...resultBase, outcome: GradeOutcome }),
  z.strictObject({ kind: z.literal('publication'), ...resultBase, outcome: PublicationOutcome }),
]);
export type ResultMessage = z.infer<typeof ResultMessage>;

/** Sent to the inbox that the result's `assay-reply` header names. */
export const ResultReply = z.discriminatedUnion('answer', [
  z.strictObject({ answer: z.literal('recorded') }),
  z.strictObject({ answer: z.literal('already_recorded') }),
  z.strictObject({ answer: z.literal('refused'), reason: z.string() }),
]);
export type ResultReply = z.infer<typeof ResultReply>;

/** A worker tells what it is and how many slots it has, so that the relay can size its window. */
export const AnnounceRequest = z.strictObject({
  worker: WorkerId,
  kind: WorkKind,
  slots: z.int().positive(),
  buildDigest: BuildDigest,
});
export type AnnounceRequest = z.infer<typeof AnnounceRequest>;
export const AnnounceReply = z.strictObject({ answer: z.literal('ok') });
export type AnnounceReply = z.infer<typeof AnnounceReply>;

/** Which leases live, for the reaper of containers. */
export const LeasesLiveRequest = z.strictObject({ worker: WorkerId });
export type LeasesLiveRequest = z.infer<typeof LeasesLiveRequest>;
export const LeasesLiveReply = z.strictObject({
  live: z.array(z.strictObject({ key: WorkKey, epoch: z.int().positive() })),
});
export type LeasesLiveReply = z.infer<typeof LeasesLiveReply>;

/** Core message (no stream): whoever runs work of this run kills it. The heartbeat is the backstop. */
export const CancelMessage = z.strictObject({ runId: RunId, instanceId: InstanceId.nullable() });
export type CancelMessage = z.infer<typeof CancelMessage>;
