import { z } from 'zod';
import { ChainState } from './chain.schema';
import { GitRef, Repository, RunUrl } from './http.schema';
import { InstanceId, RunId } from './ids';
import { RunState } from './states.schema';

const SuiteName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,
    'expected a suite name: 1 to 100 of A-Z a-z 0-9 . _ -, the first a letter or digit',
  );
const Limit = z.int().positive().max(100_000);
const Commit = z.string().regex(/^[0-9a-f]{40}$/, 'expected 40 lower-case hexadecimal digits');

/** Why a release is handed in. `manual`: by hand; a workflow cannot say that of itself. */
export const DispatchEvent = z.enum(['release', 'workflow_dispatch', 'manual']);
export type DispatchEvent = z.infer<typeof DispatchEvent>;

/**
 * Body of `POST /v1/releases`: which release, and what its caller wants of the run. Whether it runs, and as what, is decided
 * by the policy and by what GitHub says about the release. Unknown keys are refused by name.
 */
export const DispatchRequest = z.strictObject({
  schemaVersion: z.literal('assay.release-request/1'),
  event: DispatchEvent,
  repository: Repository,
  releaseTag: GitRef,
  /** What is measured, where that is another ref than the release's tag. */
  evaluatedRef: GitRef.optional(),
  suite: SuiteName.optional(),
  /** The first k of the sorted instances. */
  limit: Limit.optional(),
  /** Of account with limit 1 alone: a form that is filled in always holds one. */
  instanceId: InstanceId.optional(),
  /** As `limit` and `instanceId`, of the suite that follows. */
  chainLimit: Limit.optional(),
  chainInstanceId: InstanceId.optional(),
  model: z
    .string()
    .regex(/^[\x20-\x7e]{1,200}$/, 'expected 1 to 200 printable ASCII characters')
    .optional(),
  githubRunUrl: RunUrl.optional(),
  /** What the caller holds for the release's numeric id; another one is refused. */
  releaseId: z.int().positive().optional(),
  /** What the caller holds for the commit of the evaluated ref; another one fails the run. */
  commit: Commit.optional(),
  maxAttempts: z.int().min(1).max(8).optional(),
  backoffSeconds: z.number().min(0).max(3600).optional(),
});
export type DispatchRequest = z.infer<typeof DispatchRequest>;

/** Answer (202) to a release that is run: what the caller keeps. */
export const Receipt = z.strictObject({
  schemaVersion: z.literal('assay.receipt/1'),
  /** Of the run, when this was answered. */
  status: RunState,
  runId: RunId,
  /** Absolute, or a path of the server that was asked. */
  runUrl: z.string(),
  /** The same key and body had been handed in before. */
  deduplicated: z.boolean(),
  releaseTag: z.string(),
  evaluatedRef: z.string(),
  /** Null until it is resolved. */
  commit: z.string().nullable(),
  suite: z.string(),
  /** The rule of the policy that chose this. */
  rule: z.string(),
  /** Null where only freezing can tell. */
  expectedInstances: z.int().nullable(),
  /** What follows once this one is published, as it was when this was answered. */
  chain: z.array(z.strictObject({ suite: z.string(), status: ChainState, expectedInstances: z.int().nullable() })),
});
export type Receipt = z.infer<typeof Receipt>;

/** Answer (200) to a release that the policy leaves alone. It is no error. */
export const SkippedReceipt = z.strictObject({
  schemaVersion: z.literal('assay.receipt/1'),
  status: z.literal('SKIPPED'),
  /** Null: no rule knows such a release. */
  rule: z.string().nullable(),
  reason: z.string(),
});
export type SkippedReceipt = z.infer<typeof SkippedReceipt>;

/** Any answer of `POST /v1/releases` that is a success. */
export const DispatchReply = z.union([Receipt, SkippedReceipt]);
export type DispatchReply = z.infer<typeof DispatchReply>;

/** What the policy made of a release. */
export const ReleasePlan = z.strictObject({
  suite: z.string(),
  limit: Limit.nullable(),
  instanceId: InstanceId.nullable(),
  chain: z.array(z.strictObject({ suite: z.string(), limit: Limit.nullable(), instanceId: InstanceId.nullable() })),
  evaluatedRef: GitRef,
  packageVersion: z.string(),
  /** What may be written to a release: nothing, the difference as text, prereleases only, all. */
  publication: z.enum(['off', 'dry-run', 'prerelease', 'all']),
});
export type ReleasePlan = z.infer<typeof ReleasePlan>;

/** Who handed a release in, as it was proved; nothing of it is secret. */
export const OriginPrincipal = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('workflow'),
    repository: z.string(),
    repositoryId: z.string(),
    ownerId: z.string(),
    eventName: z.string(),
    ref: z.string(),
    sha: z.string(),
    runId: z.string(),
    runAttempt: z.string(),
    workflowRef: z.string(),
    actor: z.string(),
  }),
  z.strictObject({ kind: z.literal('service'), tokenId: z.string(), name: z.string() }),
  z.strictObject({ kind: z.literal('deployment') }),
]);
export type OriginPrincipal = z.infer<typeof OriginPrincipal>;

/** Where a run came from, frozen when it was handed in: the request as received, and why it became this run. */
export const RunOrigin = z.strictObject({
  schemaVersion: z.literal('assay.origin/1'),
  request: DispatchRequest,
  rule: z.string(),
  plan: ReleasePlan,
  /** The release as GitHub described it then. */
  release: z.strictObject({
    id: z.int().positive(),
    tag: z.string(),
    prerelease: z.boolean(),
    draft: z.boolean(),
    /** sha256 of the notes. */
    bodyDigest: z.string(),
  }),
  principal: OriginPrincipal,
  /** What must be in a registry before the run is frozen, by the policy. */
  package: z.strictObject({ registry: z.enum(['npm', 'none']), name: z.string() }),
  /** What the receipt said of the whole run; null: only freezing could tell. */
  expectedInstances: z.int().nullable(),
  chainInstances: z.array(z.int().nullable()),
});
export type RunOrigin = z.infer<typeof RunOrigin>;
