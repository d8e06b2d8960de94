import { randomUUID } from 'node:crypto';
import {
  type ArtifactRef,
  AttemptId,
  BuildDigest,
  type ClaimReply,
  Digest,
  type GradeSpec,
  InstanceId,
  Namespace,
  type PublicationOutcome,
  RunId,
  scaleTimings,
  type Timings,
  type TrialOutcome,
  type TrialSpec,
  type WorkKey,
} from '@assay/contracts';
import type { WorkResult } from '../worker/work-types';

/** A fiftieth of the real values: a lease of 1.8 s, a heartbeat every 0.5 s. */
export const FAST: Timings = scaleTimings(0.02);

export const NAMESPACE = Namespace.parse('t');
export const BUILD = BuildDigest.parse('b'.repeat(64));

const bundle: ArtifactRef = {
  name: 'task_bundle',
  digest: Digest.parse('a'.repeat(64)),
  size: 10,
  mediaType: 'application/x-tar',
};

const limits: TrialSpec['limits'] = {
  wallSeconds: 600,
  turns: null,
  costUsd: null,
  calls: null,
  tokens: null,
  cpus: 1,
  memoryMb: 512,
  diskMb: 512,
  pids: 100,
};

interface KeyParts {
  readonly run?: string;
  readonly kind?: WorkKey['kind'];
  readonly sample?: number;
}

export function keyOf(instance: string, { run = 'run-1', kind = 'trial', sample = 0 }: KeyParts = {}): WorkKey {
  return { kind, runId: RunId.parse(run), instanceId: InstanceId.parse(instance), sample };
}

export function trialSpec(instance: string): TrialSpec {
  return {
    kind: 'trial',
    instance: {
      id: InstanceId.parse(instance),
      source: 'harbor',
      bundle,
      image: { kind: 'reference', reference: 'node:22' },
    },
    sandbox: 'process',
    agent: { name: 'nop', version: '1', integrity: null, options: {} },
    model: 'none',
    limits,
    history: 'cut',
    publishesScore: false,
  };
}

export function gradeSpec(instance: string): GradeSpec {
  const { instance: frozen } = trialSpec(instance);
  const grader = { version: 'g1', network: 'none', user: null, timeoutSeconds: 60, cpus: 1, memoryMb: 512 } as const;
  return {
    kind: 'grade',
    instance: frozen,
    sandbox: 'process',
    patch: null,
    patchOrigin: 'trial',
    grader,
    limits,
    imageId: null,
  };
}

export function granted(
  key: WorkKey,
  { epoch = 1, traceparent = null }: { readonly epoch?: number; readonly traceparent?: string | null } = {},
): ClaimReply {
  return {
    answer: 'granted',
    epoch,
    attempt: 1,
    attemptId: AttemptId.parse(randomUUID()),
    spec: key.kind === 'grade' ? gradeSpec(key.instanceId) : trialSpec(key.instanceId),
    deadline: new Date(Date.now() + FAST.leaseMs).toISOString(),
    leaseMs: FAST.leaseMs,
    traceparent,
  };
}

export const completed: TrialOutcome = {
  kind: 'completed',
  patch: null,
  trajectory: { ...bundle, name: 'trajectory' },
  limit: null,
  usage: { calls: 0, promptTokens: 0, completionTokens: 0, cachedTokens: 0, costUsd: null, estimated: false },
  model: { usesModel: false, completedExchanges: 0, lastFailedUpstream: false },
  imageId: 'process',
  timings: { prepareMs: 1, agentMs: 1, extractMs: 1 },
};

export const written = (previousBody: string): PublicationOutcome => ({
  kind: 'written',
  blockDigest: 'd',
  assets: [],
  previousBody,
});

export const trialResult: WorkResult<'trial'> = { outcome: completed, artifacts: [{ ...bundle, name: 'trajectory' }] };

/** Work that lasts until its signal is aborted, and then throws the signal's reason. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise<never>((_, reject) => {
    if (signal.aborted) {
      reject(signal.reason as Error);
      return;
    }
    signal.addEventListener('abort', () => {
      reject(signal.reason as Error);
    });
  });
}
