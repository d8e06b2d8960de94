import { assertNever, type PublicationState } from '@assay/contracts';
import { IllegalTransition } from './illegal-transition';

/** All that can happen to what a run owes its release. */
export type PublicationEvent =
  /** The block and its files stand on the release. */
  | { readonly type: 'written' }
  /** Read again one lease later, and found whole. */
  | { readonly type: 'verified' }
  /** GitHub, the network or a worker failed: it is tried again, from the beginning. */
  | { readonly type: 'failed' }
  /** The policy says no, or the release is gone or another one. */
  | { readonly type: 'refused' }
  /** The policy wants to see the difference only. */
  | { readonly type: 'shown' }
  /** A newer run of the same release and suite takes its place. */
  | { readonly type: 'superseded' }
  /** The newer run wrote nothing in the end: this one is the newest again. */
  | { readonly type: 'reinstated' };

/**
 * The state of a publication after `event`. Pure.
 * @throws IllegalTransition where the machine has no such step
 */
export function nextPublicationState(state: PublicationState, event: PublicationEvent): PublicationState {
  const { from, to } = step(event);
  if (!from.includes(state)) throw new IllegalTransition('publication', state, event.type);
  return to;
}

/** True for a publication that nobody works on any more. SUPERSEDED may still be reinstated. */
export function isOverPublicationState(state: PublicationState): boolean {
  switch (state) {
    case 'PENDING':
    case 'WRITTEN':
      return false;
    case 'NONE':
    case 'PUBLISHED':
    case 'SUPERSEDED':
    case 'REFUSED':
    case 'DRY_RUN':
      return true;
    default:
      return assertNever(state);
  }
}

function step(event: PublicationEvent): { from: readonly PublicationState[]; to: PublicationState } {
  const open = ['PENDING', 'WRITTEN'] as const;
  switch (event.type) {
    case 'written':
      return { from: open, to: 'WRITTEN' };
    case 'verified':
      return { from: ['WRITTEN'], to: 'PUBLISHED' };
    case 'failed':
      return { from: open, to: 'PENDING' };
    case 'refused':
      return { from: open, to: 'REFUSED' };
    case 'shown':
      return { from: open, to: 'DRY_RUN' };
    case 'superseded':
      return { from: [...open, 'PUBLISHED'], to: 'SUPERSEDED' };
    case 'reinstated':
      return { from: ['SUPERSEDED'], to: 'PENDING' };
    default:
      return assertNever(event);
  }
}

/** One event of every kind there is, for tables, drawings and tests. */
export const PUBLICATION_EVENTS: readonly PublicationEvent[] = [
  { type: 'written' },
  { type: 'verified' },
  { type: 'failed' },
  { type: 'refused' },
  { type: 'shown' },
  { type: 'superseded' },
  { type: 'reinstated' },
];
