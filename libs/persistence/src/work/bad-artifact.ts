import { assertNever, type ArtifactRef, type Failure, type ResultMessage } from '@assay/contracts';
import type { Sql } from '../database';
import { noteEvent } from './note-event';

/** An artifact that a result names, and that the store does not hold as it says. */
export interface BadArtifact {
  readonly artifact: ArtifactRef;
  readonly condition: 'missing' | 'corrupt';
}

/**
 * The same result as a failure of ours, without the artifacts that cannot be believed. What was used is kept: it was
 * spent. Whatever the outcome said, even an agent's fault, rests on evidence that is not there.
 */
export function disbelieved(message: ResultMessage, bad: readonly BadArtifact[]): ResultMessage {
  const failure = failureOf(message, bad);
  const digests = new Set(bad.map(({ artifact }) => artifact.digest));
  const artifacts = message.artifacts.filter(({ digest }) => !digests.has(digest));
  switch (message.kind) {
    case 'trial': {
      const { usage, imageId } = message.outcome;
      return { ...message, artifacts, outcome: { kind: 'failed', failure, usage, imageId } };
    }
    case 'grade': {
      const { graderVersion } = message.outcome;
      return { ...message, artifacts, outcome: { kind: 'failed', failure, graderVersion } };
    }
    case 'publication':
      return { ...message, artifacts, outcome: { kind: 'failed', failure } };
    default:
      return assertNever(message);
  }
}

/** Adds the event that names what was refused; resolves with the reason for whoever sent it. */
export async function noteBadArtifacts(
  sql: Sql,
  { key, epoch, worker }: ResultMessage,
  bad: readonly BadArtifact[],
): Promise<string> {
  await noteEvent(sql, key, 'result.refused', { epoch, worker, artifacts: bad.map(described) });
  return reasonOf(bad);
}

function failureOf({ outcome }: ResultMessage, bad: readonly BadArtifact[]): Failure {
  return {
    blame: 'infra',
    code: bad.some(({ condition }) => condition === 'missing') ? 'artifact_missing' : 'artifact_corrupt',
    message: reasonOf(bad).slice(0, 4000),
    phase: 'upload',
    details: { artifacts: bad.map(described), outcome: outcome.kind },
  };
}

function described({ artifact: { name, digest, size }, condition }: BadArtifact) {
  return { name, digest, size, condition };
}

function reasonOf(bad: readonly BadArtifact[]): string {
  const said = { missing: 'is not in the store', corrupt: 'is not what its digest and size say' } as const;
  return bad
    .map(({ artifact: { name, digest, size }, condition }) => `${name} (${digest}, ${size} bytes) ${said[condition]}`)
    .join('; ');
}
