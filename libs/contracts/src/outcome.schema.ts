import { z } from 'zod';
import { Failure } from './failure.schema';
import { Digest } from './ids';
import { ArtifactRef } from './manifest.schema';

/** Tokens and money of one trial. `estimated` where the provider reported no usage. */
export const Usage = z.strictObject({
  calls: z.int().nonnegative(),
  promptTokens: z.int().nonnegative(),
  completionTokens: z.int().nonnegative(),
  cachedTokens: z.int().nonnegative(),
  costUsd: z.number().nonnegative().nullable(),
  estimated: z.boolean(),
});
export type Usage = z.infer<typeof Usage>;

/** Which limit ended the agent, if one did. Graded and marked (design rule 4). */
export const ReachedLimit = z.enum(['time', 'turns', 'cost', 'calls', 'tokens']);
export type ReachedLimit = z.infer<typeof ReachedLimit>;

/** Which budget of a whole run was used up, if one was. */
export const RunBudget = ReachedLimit.exclude(['turns']);
export type RunBudget = z.infer<typeof RunBudget>;

/** What the model gateway saw: it outranks exit codes when a patch is empty. */
export const ModelEvidence = z.strictObject({
  /** False for agents that call no model (oracle, nop). */
  usesModel: z.boolean(),
  completedExchanges: z.int().nonnegative(),
  /** The last exchange ended in an upstream failure. */
  lastFailedUpstream: z.boolean(),
});
export type ModelEvidence = z.infer<typeof ModelEvidence>;

const millis = z.number().nonnegative();

export const TrialOutcome = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('completed'),
    /** Null: the workspace did not change. The blob is a git patch, byte for byte. */
    patch: ArtifactRef.nullable(),
    trajectory: ArtifactRef,
    limit: ReachedLimit.nullable(),
    usage: Usage,
    model: ModelEvidence,
    /** The engine's image id, or `process` in the process sandbox. */
    imageId: z.string(),
    timings: z.strictObject({ prepareMs: millis, agentMs: millis, extractMs: millis }),
  }),
  z.strictObject({
    kind: z.literal('failed'),
    failure: Failure,
    usage: Usage.nullable(),
    imageId: z.string().nullable(),
  }),
]);
export type TrialOutcome = z.infer<typeof TrialOutcome>;

export const GradeOutcome = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('graded'),
    verdict: z.enum(['RESOLVED', 'UNRESOLVED']),
    /** In [0, 1]. */
    reward: z.number().min(0).max(1),
    graderVersion: z.string(),
    suspicions: z.array(z.string()),
    imageId: z.string().nullable(),
    durationMs: millis,
  }),
  z.strictObject({ kind: z.literal('failed'), failure: Failure, graderVersion: z.string() }),
]);
export type GradeOutcome = z.infer<typeof GradeOutcome>;

/** A file of ours on a release. */
export const PublishedAsset = z.strictObject({
  name: z.string(),
  url: z.string(),
  digest: Digest,
  /** Bytes. */
  size: z.int().nonnegative(),
});
export type PublishedAsset = z.infer<typeof PublishedAsset>;

export const PublicationOutcome = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('written'),
    /** sha256 of the block as it stands in the release body. */
    blockDigest: z.string(),
    /** What the block points to. Empty where the release takes no assets (immutable). */
    assets: z.array(PublishedAsset),
    /** The body before the write, kept so that nothing of a human's text can be lost. */
    previousBody: z.string(),
  }),
  z.strictObject({ kind: z.literal('verified'), blockDigest: z.string() }),
  /** It may not be written there, now and later: the policy says so, or the release is gone or another one. */
  z.strictObject({ kind: z.literal('refused'), code: z.string(), reason: z.string() }),
  /** Nothing was written; the artifact is the exact difference that a write would have made. */
  z.strictObject({ kind: z.literal('dry_run'), reason: z.string(), difference: ArtifactRef }),
  z.strictObject({ kind: z.literal('failed'), failure: Failure }),
]);
export type PublicationOutcome = z.infer<typeof PublicationOutcome>;
