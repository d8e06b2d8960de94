import { z } from 'zod';
import { ChainLink } from './chain.schema';
import { Digest, InstanceId, RunId } from './ids';
import { Failure } from './failure.schema';
import { Counts, RunResult } from './result.schema';
import { InstanceState, PublicationState, RunState } from './states.schema';

/** `owner/name` as GitHub spells it. */
export const Repository = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9-]{0,38}\/[A-Za-z0-9._-]{1,100}$/, 'expected owner/name')
  .refine((name) => !name.endsWith('/.') && !name.endsWith('/..'), 'expected owner/name');

/** 1 to 160 characters, no `..` and no `@{` (git's own rule for refs). */
export const GitRef = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._/@+-]{0,159}$/,
    'expected a git ref: 1 to 160 of A-Z a-z 0-9 . _ / @ + -, the first a letter or digit',
  )
  .refine((ref) => !ref.includes('..') && !ref.includes('@{'), 'must not contain ".." or "@{"');

export const ReleaseTarget = z.strictObject({
  repository: Repository,
  id: z.int().positive(),
  tag: GitRef,
});
export type ReleaseTarget = z.infer<typeof ReleaseTarget>;

/** An address that a release may link to: https, or http on this machine, and no password in it. */
export const RunUrl = z
  .url({ error: 'expected an https: URL', abort: true })
  .max(2000, 'expected at most 2000 characters')
  .refine(isWebAddress, 'expected an https: URL (http: for localhost only) without user and password');

function isWebAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  const local = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return (protocol === 'https:' || (protocol === 'http:' && local)) && username === '' && password === '';
}

/** Body of `POST /v1/runs`. Unknown keys are refused by name. */
export const SubmitRequest = z
  .strictObject({
    suite: z
      .string()
      .regex(
        /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,
        'expected a suite name: 1 to 100 of A-Z a-z 0-9 . _ -, the first a letter or digit',
      ),
    evaluated: z.strictObject({
      ref: GitRef,
      /** Absent: the commit that the ref has at GitHub when the run is frozen. */
      commit: z
        .string()
        .regex(/^[0-9a-f]{40}$/, 'expected 40 lower-case hexadecimal digits')
        .optional(),
      /** Absent: the version that the ref names. */
      packageVersion: z
        .string()
        .regex(/^v?\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/, 'expected a version such as 1.2.3')
        .optional(),
    }),
    model: z.string().regex(/^[\x20-\x7e]{1,200}$/, 'expected 1 to 200 printable ASCII characters'),
    /** Replaces the suite's agent. */
    agent: z
      .string()
      .regex(/^[a-z][a-z0-9-]{0,63}$/, 'expected an agent name')
      .optional(),
    /** The first k of the sorted instances. */
    limit: z.int().positive().max(100_000).optional(),
    /** One instance only; excludes any limit but 1. */
    instanceId: InstanceId.optional(),
    /** Default: the suite's (4 where it says nothing). */
    maxAttempts: z.int().min(1).max(8).optional(),
    /** Default: the suite's (60 where it says nothing). */
    backoffSeconds: z.number().min(0).max(3600).optional(),
    trigger: z.enum(['release', 'workflow_dispatch', 'manual']),
    githubRunUrl: RunUrl.optional(),
    release: ReleaseTarget.optional(),
    /** Grades this set (the answer of `POST /v1/predictions`) in place of running an agent; never published. */
    predictions: Digest.optional(),
  })
  .superRefine(({ predictions, ...body }, context) => {
    if (predictions === undefined) return;
    for (const field of ['release', 'agent', 'limit', 'instanceId'] as const) {
      if (body[field] === undefined) continue;
      const message = `expected none with predictions: the set says what is graded, and it is never published`;
      context.addIssue({ code: 'custom', path: [field], message });
    }
  })
  .refine((body) => body.instanceId === undefined || body.limit === undefined || body.limit === 1, {
    path: ['instanceId'],
    error: 'instanceId requires limit 1',
  })
  .refine(({ evaluated, release }) => evaluated.commit !== undefined || release !== undefined, {
    path: ['evaluated', 'commit'],
    error: 'expected 40 lower-case hexadecimal digits, because without a release nothing says whose ref it is',
  });
export type SubmitRequest = z.infer<typeof SubmitRequest>;

const KEY_EXPECTED = 'expected 1 to 200 printable ASCII characters without spaces';

/** Header `Idempotency-Key` of `POST /v1/runs`. */
export const IdempotencyKey = z.string({ error: KEY_EXPECTED }).regex(/^[\x21-\x7e]{1,200}$/, KEY_EXPECTED);

/** Answer of `POST /v1/runs` (202). */
export const SubmitReply = z.strictObject({
  runId: RunId,
  status: RunState,
  statusUrl: z.string(),
  deduplicated: z.boolean(),
});
export type SubmitReply = z.infer<typeof SubmitReply>;

/** Why a run ended before it was frozen: one of the codes of docs/errors.md, and a sentence. */
export const RunFailure = z.strictObject({ code: z.string(), message: z.string() });
export type RunFailure = z.infer<typeof RunFailure>;

export const RunView = z.strictObject({
  runId: RunId,
  state: RunState,
  publicationState: PublicationState,
  suite: z.string(),
  agent: z.string().nullable(),
  model: z.string(),
  /** Commit and version are null until they are known. */
  evaluated: z.strictObject({
    ref: z.string(),
    commit: z.string().nullable(),
    packageVersion: z.string().nullable(),
  }),
  release: ReleaseTarget.nullable(),
  trigger: z.string(),
  /** Non-terminal instances by state, and terminal ones too. */
  states: z.partialRecord(InstanceState, z.int()),
  counts: Counts,
  /** The last real error of a WAITING run or a pending publication. */
  lastError: z.string().nullable(),
  /** Why a FAILED run was never measured. */
  failure: RunFailure.nullable(),
  /** No matching worker has served the run for ten minutes. */
  stalled: z.boolean(),
  traceId: z.string().nullable(),
  createdAt: z.iso.datetime(),
  startedAt: z.iso.datetime().nullable(),
  finishedAt: z.iso.datetime().nullable(),
  /** Why nothing was written to the release, where its publication is REFUSED or DRY_RUN. */
  publicationReason: z.string().nullable(),
  /** When a publication that waits is looked at next, by itself; null: none waits, or it is being worked on. */
  publicationRetryAt: z.iso.datetime().nullable(),
  /** Artifact with the exact difference that a DRY_RUN would have made, as a unified diff. */
  publicationDifference: Digest.nullable(),
  result: RunResult.nullable(),
  /** What follows it on the same release, in this order; empty: nothing does. */
  chain: z.array(ChainLink),
  /** The run whose chain started this one. */
  chainOf: RunId.nullable(),
});
export type RunView = z.infer<typeof RunView>;

export const RunList = z.strictObject({ runs: z.array(RunView), nextCursor: z.string().nullable() });
export type RunList = z.infer<typeof RunList>;

export const InstanceView = z.strictObject({
  instanceId: InstanceId,
  sample: z.int(),
  state: InstanceState,
  attempts: z.int(),
  worker: z.string().nullable(),
  nextTryAt: z.iso.datetime().nullable(),
  failure: Failure.nullable(),
  limit: z.string().nullable(),
  suspicions: z.array(z.string()),
  traceId: z.string().nullable(),
  history: z.array(
    z.strictObject({
      kind: z.enum(['trial', 'grade']),
      number: z.int(),
      state: z.string(),
      worker: z.string(),
      startedAt: z.iso.datetime(),
      finishedAt: z.iso.datetime().nullable(),
      failure: Failure.nullable(),
      artifacts: z.array(
        z.strictObject({ name: z.string(), digest: z.string(), size: z.int(), mediaType: z.string() }),
      ),
    }),
  ),
});
export type InstanceView = z.infer<typeof InstanceView>;

export const InstanceList = z.strictObject({ runId: RunId, instances: z.array(InstanceView) });
export type InstanceList = z.infer<typeof InstanceList>;

export const CancelReply = z.strictObject({ runId: RunId, state: RunState, cancelledInstances: z.int() });
export type CancelReply = z.infer<typeof CancelReply>;

/** Every error answer: `errors` names the field, the value and what was expected. */
export const ErrorReply = z.strictObject({
  statusCode: z.int(),
  error: z.string(),
  message: z.string(),
  errors: z.array(z.strictObject({ field: z.string(), value: z.unknown().optional(), expected: z.string() })),
});
export type ErrorReply = z.infer<typeof ErrorReply>;
