import { assertNever, type ChainSkip, type PublicationState, type RunFailure, type RunState } from '@assay/contracts';
import { isTerminalRunState } from './run.machine';

/** The run that a link of a chain waits for. */
export interface ChainedAfter {
  readonly runId: string;
  readonly state: RunState;
  readonly publication: PublicationState;
  /** Why its publication is REFUSED. */
  readonly publicationReason: string | null;
  /** Why it FAILED before it was frozen. */
  readonly failure: RunFailure | null;
}

/** What becomes of a link: later, now, or never. */
export type ChainStep =
  | { readonly step: 'wait' }
  | { readonly step: 'start' }
  | { readonly step: 'skip'; readonly cause: ChainSkip; readonly reason: string };

/** What makes every suite of a release unmeasurable, not only the one that found it out. */
const OF_THE_RELEASE: ReadonlySet<string> = new Set(['release_wrong', 'ref_wrong', 'tag_moved', 'package_late']);

/**
 * Whether the next suite of a chain may start. It waits until the publication of what stands before it was verified,
 * whatever it published: a score, a quarantine, a failure. Where nothing is published at all, it waits for the run. Pure.
 */
export function afterInChain(before: ChainedAfter): ChainStep {
  const { runId, state, publication } = before;
  if (state === 'CANCELLED') return skipped('cancelled', `the run ${runId} before it was cancelled`);
  if (!isTerminalRunState(state)) return { step: 'wait' };
  switch (publication) {
    case 'PENDING':
    case 'WRITTEN':
      return { step: 'wait' };
    case 'SUPERSEDED':
      return skipped('superseded', `a newer run of the release took the place of the run ${runId} before it`);
    case 'REFUSED':
      return skipped(
        'refused',
        `the run ${runId} before it may not be published: ${before.publicationReason ?? 'no reason was given'}`,
      );
    case 'NONE':
    case 'DRY_RUN':
    case 'PUBLISHED':
      return afterSettled(before);
    default:
      return assertNever(publication);
  }
}

function afterSettled({ runId, failure }: ChainedAfter): ChainStep {
  if (failure === null || !OF_THE_RELEASE.has(failure.code)) return { step: 'start' };
  const reason = `what it would measure cannot be measured, as the run ${runId} found out: ${failure.message}`;
  return skipped('not_measurable', reason);
}

function skipped(cause: ChainSkip, reason: string): ChainStep {
  return { step: 'skip', cause, reason };
}

/**
 * The idempotency key of a suite that follows in a chain: the key of the first run, a hyphen, and the suite's name with
 * hyphens, a bare number at its end written as a version. So `terminal_bench_2` is `<key>-terminal-bench-2.0`, the key that
 * qwen-code's own pipeline gives it.
 */
export function chainedKey(key: string, suite: string): string {
  return `${key}-${suite.replaceAll('_', '-').replace(/-(\d+)$/, '-$1.0')}`;
}
