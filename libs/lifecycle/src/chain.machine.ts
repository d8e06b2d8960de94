import type { ChainState } from '@assay/contracts';
import { IllegalTransition } from './illegal-transition';

/** What can happen to a link of a chain. */
export type ChainEvent =
  /** What stands before it is settled: its run was submitted. */
  | 'started'
  /** It never will be: `ChainSkip` says why. */
  | 'skipped'
  /** The run before it, which had given way to a newer one, is the newest again. */
  | 'reopened';

/** Every step of a link. The statements in libs/persistence take from here which rows they may change, and to what. */
export const CHAIN_STEPS: Readonly<
  Record<ChainEvent, { readonly from: readonly ChainState[]; readonly to: ChainState }>
> = {
  started: { from: ['PENDING'], to: 'STARTED' },
  skipped: { from: ['PENDING'], to: 'SKIPPED' },
  reopened: { from: ['SKIPPED'], to: 'PENDING' },
};

/** One event of every kind there is, for tables, drawings and tests. */
export const CHAIN_EVENTS = Object.keys(CHAIN_STEPS) as readonly ChainEvent[];

/**
 * The state of a link after `event`. Pure.
 * @throws IllegalTransition where the machine has no such step
 */
export function nextChainState(state: ChainState, event: ChainEvent): ChainState {
  const { from, to } = CHAIN_STEPS[event];
  if (!from.includes(state)) throw new IllegalTransition('chain', state, event);
  return to;
}

/** True for a link that nothing is to be done for. A SKIPPED one may still be reopened. */
export function isOverChainState(state: ChainState): boolean {
  return state !== 'PENDING';
}
