import { assertNever, type InstanceView } from '@assay/contracts';
import { isEmptyPatch } from '@assay/suites';

/** A prediction as it goes into the run. */
export interface Submitted {
  readonly id: string;
  readonly model: string;
  /** Null: none was made. */
  readonly patch: string | null;
  /** The agent's own trajectory file; null: none was handed in. */
  readonly trajectoryFile: string | null;
}

/** What became of it. `failed`: there is no verdict. */
export type Judged =
  | { readonly outcome: 'resolved' | 'unresolved' | 'empty' }
  | { readonly outcome: 'failed'; readonly code: string; readonly message: string };

/** Null while the instance is open. */
export function judged(prediction: Submitted, { state, failure }: InstanceView): Judged | null {
  switch (state) {
    case 'RESOLVED':
      return { outcome: 'resolved' };
    case 'UNRESOLVED':
      return { outcome: isEmptyPatch(prediction.patch) ? 'empty' : 'unresolved' };
    case 'EXECUTION_ERROR':
    case 'INFRA_FAILED':
      return { outcome: 'failed', code: failure?.code ?? state.toLowerCase(), message: failure?.message ?? state };
    case 'CANCELLED':
      return { outcome: 'failed', code: 'cancelled', message: 'the run was cancelled' };
    case 'QUEUED':
    case 'PREPARING':
    case 'RUNNING_AGENT':
    case 'UPLOADING':
    case 'GRADING':
    case 'RETRY_WAIT':
      return null;
    default:
      return assertNever(state);
  }
}

/** One line for a person: `unresolved  django__django-11099`. */
export function judgedLine(id: string, judged: Judged, suspicions: readonly string[]): string {
  const suspected = suspicions.length === 0 ? '' : `  (suspicions: ${suspicions.join(', ')})`;
  if (judged.outcome !== 'failed') {
    const word = judged.outcome === 'empty' ? 'unresolved' : judged.outcome;
    return `${word.padEnd(10)}  ${id}${judged.outcome === 'empty' ? '  (empty patch)' : ''}${suspected}`;
  }
  return `${'failed'.padEnd(10)}  ${id}  ${judged.code}: ${judged.message}`;
}
