import { assertNever, type RunState, type TerminalRunState, TERMINAL_RUN_STATES } from '@assay/contracts';
import { IllegalTransition } from './illegal-transition';

/** All that can happen to a run. */
export type RunEvent =
  /** Tag and package were found; manifest and instances stand in the database. */
  | { readonly type: 'frozen' }
  /** The first work was claimed. */
  | { readonly type: 'started' }
  /** The last instance became terminal and the gate decided; cancelling a frozen run ends here too, as QUARANTINED. */
  | { readonly type: 'gated'; readonly status: 'SUCCEEDED' | 'QUARANTINED' }
  /** The run cannot be measured at all: its package never came, its manifest cannot be made or read. */
  | { readonly type: 'failed' }
  /** Cancelled before it was frozen: there are no instances to speak of. */
  | { readonly type: 'cancelled' };

/**
 * The state of a run after `event`. Pure; the database's trigger holds terminal states beside it.
 * @throws IllegalTransition where the machine has no such step, e.g. anything from a terminal state
 */
export function nextRunState(state: RunState, event: RunEvent): RunState {
  const { from, to } = step(event);
  if (!from.includes(state)) throw new IllegalTransition('run', state, runEventName(event));
  return to;
}

export function isTerminalRunState(state: RunState): state is TerminalRunState {
  return (TERMINAL_RUN_STATES as readonly RunState[]).includes(state);
}

function step(event: RunEvent): { from: readonly RunState[]; to: RunState } {
  switch (event.type) {
    case 'frozen':
      return { from: ['WAITING'], to: 'QUEUED' };
    case 'started':
      return { from: ['QUEUED', 'RUNNING'], to: 'RUNNING' };
    case 'gated':
      return { from: ['QUEUED', 'RUNNING'], to: event.status };
    case 'failed':
      return { from: ['WAITING', 'QUEUED', 'RUNNING'], to: 'FAILED' };
    case 'cancelled':
      return { from: ['WAITING'], to: 'CANCELLED' };
    default:
      return assertNever(event);
  }
}

/** One event of every kind there is, for tables, drawings and tests. */
export const RUN_EVENTS: readonly RunEvent[] = [
  { type: 'frozen' },
  { type: 'started' },
  { type: 'gated', status: 'SUCCEEDED' },
  { type: 'gated', status: 'QUARANTINED' },
  { type: 'failed' },
  { type: 'cancelled' },
];

/** The event in words, as the drawing in docs/states.md and error messages name it. */
export function runEventName(event: RunEvent): string {
  return event.type === 'gated' ? `gated ${event.status}` : event.type;
}
