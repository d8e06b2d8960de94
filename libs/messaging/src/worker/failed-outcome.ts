import { assertNever, type Phase, type WorkKind, type WorkPhase } from '@assay/contracts';
import { classify } from '@assay/failures';
import type { FailedWork, OutcomeOf } from './work-types';

const PHASES: Record<WorkPhase, Phase> = {
  PREPARING: 'prepare',
  RUNNING_AGENT: 'agent',
  UPLOADING: 'upload',
  GRADING: 'grade',
  PUBLISHING: 'publish',
};

/** The failed outcome for what a handler threw; `classify` decides the blame. */
export function failedOutcome(error: unknown, work: FailedWork): OutcomeOf<WorkKind> {
  const failure = classify(error, PHASES[work.phase]);
  switch (work.spec.kind) {
    case 'trial':
      return { kind: 'failed', failure, usage: null, imageId: null };
    case 'grade':
      return { kind: 'failed', failure, graderVersion: work.spec.grader.version };
    case 'publication':
      return { kind: 'failed', failure };
    default:
      return assertNever(work.spec);
  }
}
