import { randomUUID } from 'node:crypto';
import {
  BuildDigest,
  ClaimId,
  ClaimRequest,
  InstanceId,
  PUBLICATION_INSTANCE,
  ResultMessage,
  WorkerId,
  type ArtifactRef,
  type Blame,
  type Failure,
  type GradeOutcome,
  type PublicationOutcome,
  type RunId,
  type TrialOutcome,
  type WorkKey,
  type WorkKind,
} from '@assay/contracts';
import { digestOf } from './run-builder';

/** The key of an instance's trial or grade, or of a run's publication. */
export function workKey(runId: RunId, kind: WorkKind = 'trial', instance = 'i-1'): WorkKey {
  const instanceId = kind === 'publication' ? PUBLICATION_INSTANCE : InstanceId.parse(instance);
  return { kind, runId, instanceId, sample: 0 };
}

export interface ClaimSeed {
  readonly claimId?: string;
  readonly worker?: string;
  readonly buildDigest?: string;
  readonly idle?: boolean;
}

/** A claim of an idle worker `w-1`, with a claimId of its own. */
export function aClaim(key: WorkKey, seed: ClaimSeed = {}): ClaimRequest {
  const { claimId = randomUUID(), worker = 'w-1', buildDigest = digestOf('build'), idle = true } = seed;
  return {
    claimId: ClaimId.parse(claimId),
    key,
    worker: WorkerId.parse(worker),
    buildDigest: BuildDigest.parse(buildDigest),
    idle,
  };
}

/** A reference to a blob that no test reads. */
export function anArtifact(name: string, content: string = name): ArtifactRef {
  return { name, digest: digestOf(content), size: content.length, mediaType: 'text/plain' };
}

export function aFailure(blame: Blame = 'infra', code = 'engine_gone'): Failure {
  return { blame, code, message: `It was ${code}.`, phase: 'agent', details: {} };
}

/** An agent that called no model and changed the workspace. */
export function completedTrial(over: Partial<Extract<TrialOutcome, { kind: 'completed' }>> = {}): TrialOutcome {
  return {
    kind: 'completed',
    patch: anArtifact('patch'),
    trajectory: anArtifact('trajectory'),
    limit: null,
    usage: { calls: 0, promptTokens: 0, completionTokens: 0, cachedTokens: 0, costUsd: null, estimated: false },
    model: { usesModel: false, completedExchanges: 0, lastFailedUpstream: false },
    imageId: 'sha256:image',
    timings: { prepareMs: 1, agentMs: 1, extractMs: 1 },
    ...over,
  };
}

export function failedTrial(failure: Failure = aFailure()): TrialOutcome {
  return { kind: 'failed', failure, usage: null, imageId: null };
}

export function graded(
  verdict: 'RESOLVED' | 'UNRESOLVED' = 'RESOLVED',
  suspicions: readonly string[] = [],
): GradeOutcome {
  return {
    kind: 'graded',
    verdict,
    reward: verdict === 'RESOLVED' ? 1 : 0,
    graderVersion: 'harbor/1',
    suspicions: [...suspicions],
    imageId: 'sha256:image',
    durationMs: 1,
  };
}

export function failedGrade(failure: Failure = aFailure()): GradeOutcome {
  return { kind: 'failed', failure, graderVersion: 'harbor/1' };
}

export function writtenPublication(block = 'block'): PublicationOutcome {
  return {
    kind: 'written',
    blockDigest: digestOf(block),
    assets: [{ name: 'assay-result.json', url: 'http://127.0.0.1/asset', digest: digestOf('asset'), size: 5 }],
    previousBody: 'Notes of a human.',
  };
}

export function verifiedPublication(block = 'block'): PublicationOutcome {
  return { kind: 'verified', blockDigest: digestOf(block) };
}

/** What makes a result believable: who holds which work under which grant. */
export interface Fence {
  readonly key: WorkKey;
  readonly epoch: number;
  readonly claimId: string;
  readonly worker: string;
}

/** A result under a fence, with the artifacts that its outcome names and those given. */
export function aResult(
  { key, ...fence }: Fence,
  outcome: TrialOutcome | GradeOutcome | PublicationOutcome,
  artifacts: readonly ArtifactRef[] = [],
): ResultMessage {
  const named = outcome.kind === 'completed' ? [outcome.patch, outcome.trajectory].filter((ref) => ref !== null) : [];
  const { epoch, claimId, worker } = fence;
  const all = [...named, ...artifacts];
  return ResultMessage.parse({ kind: key.kind, key, epoch, claimId, worker, artifacts: all, outcome });
}
