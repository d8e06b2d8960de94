import {
  assertNever,
  type InstanceState,
  type TerminalInstanceState,
  TERMINAL_INSTANCE_STATES,
} from '@assay/contracts';
import { IllegalTransition } from './illegal-transition';

/** What a worker of an instance reports in its heartbeats. */
export type InstancePhase = 'PREPARING' | 'RUNNING_AGENT' | 'UPLOADING' | 'GRADING';

/** All that can happen to an instance. `work` says which of its two kinds of work it happened to. */
export type InstanceEvent =
  /** An accepted heartbeat. Phases only go forward; some may be too short to be seen. */
  | { readonly type: 'heartbeat'; readonly phase: InstancePhase }
  /** The coordinator recorded a trial's patch (or its absence): a grade is due. */
  | { readonly type: 'trial_recorded' }
  /** Infrastructure check: its sandbox was there. It counts as RESOLVED, and no grade follows. */
  | { readonly type: 'checked' }
  /** Grade-only run: its prediction takes the place of a trial, a grade is due. */
  | { readonly type: 'prediction_taken' }
  /** Our fault, tries left: wait. */
  | { readonly type: 'retry' }
  /** The wait is over. */
  | { readonly type: 'due'; readonly work: 'trial' | 'grade' }
  /** The worker gave the work back unfinished. */
  | { readonly type: 'released'; readonly work: 'trial' | 'grade' }
  | { readonly type: 'ended'; readonly state: TerminalInstanceState };

const BEFORE_GRADE = ['QUEUED', 'PREPARING', 'RUNNING_AGENT', 'UPLOADING', 'RETRY_WAIT'] as const;
const OPEN = [...BEFORE_GRADE, 'GRADING'] as const;
// A result may come after its lease expired, so RETRY_WAIT takes what the state before it took.
const IN_GRADE = ['GRADING', 'RETRY_WAIT'] as const;

/** From which states a heartbeat of a phase may come: the phase itself, and those before it. */
const BEFORE_PHASE: Readonly<Record<InstancePhase, readonly InstanceState[]>> = {
  PREPARING: ['QUEUED', 'RETRY_WAIT', 'PREPARING'],
  RUNNING_AGENT: ['QUEUED', 'RETRY_WAIT', 'PREPARING', 'RUNNING_AGENT'],
  UPLOADING: BEFORE_GRADE,
  GRADING: IN_GRADE,
};

/**
 * The state of an instance after `event`. Pure; the database's trigger holds terminal states beside it.
 * @throws IllegalTransition where the machine has no such step, e.g. anything from a terminal state
 */
export function nextInstanceState(state: InstanceState, event: InstanceEvent): InstanceState {
  const { from, to } = step(event);
  if (!from.includes(state)) throw new IllegalTransition('instance', state, instanceEventName(event));
  return to;
}

export function isTerminalInstanceState(state: InstanceState): state is TerminalInstanceState {
  return (TERMINAL_INSTANCE_STATES as readonly InstanceState[]).includes(state);
}

function step(event: InstanceEvent): { from: readonly InstanceState[]; to: InstanceState } {
  switch (event.type) {
    case 'heartbeat':
      return { from: BEFORE_PHASE[event.phase], to: event.phase };
    case 'trial_recorded':
      return { from: BEFORE_GRADE, to: 'GRADING' };
    case 'checked':
      return { from: BEFORE_GRADE, to: 'RESOLVED' };
    case 'prediction_taken':
      return { from: ['QUEUED'], to: 'GRADING' };
    case 'retry':
      return { from: OPEN, to: 'RETRY_WAIT' };
    case 'due':
      return { from: ['RETRY_WAIT'], to: event.work === 'trial' ? 'QUEUED' : 'GRADING' };
    case 'released':
      return event.work === 'trial' ? { from: BEFORE_GRADE, to: 'QUEUED' } : { from: IN_GRADE, to: 'GRADING' };
    case 'ended':
      return { from: isVerdict(event.state) ? IN_GRADE : OPEN, to: event.state };
    default:
      return assertNever(event);
  }
}

function isVerdict(state: TerminalInstanceState): boolean {
  return state === 'RESOLVED' || state === 'UNRESOLVED';
}

/** One event of every kind there is, for tables, drawings and tests. */
export const INSTANCE_EVENTS: readonly InstanceEvent[] = [
  ...(['PREPARING', 'RUNNING_AGENT', 'UPLOADING', 'GRADING'] as const).map((phase): InstanceEvent => ({
    type: 'heartbeat',
    phase,
  })),
  { type: 'trial_recorded' },
  { type: 'checked' },
  { type: 'prediction_taken' },
  { type: 'retry' },
  { type: 'due', work: 'trial' },
  { type: 'due', work: 'grade' },
  { type: 'released', work: 'trial' },
  { type: 'released', work: 'grade' },
  ...TERMINAL_INSTANCE_STATES.map((state): InstanceEvent => ({ type: 'ended', state })),
];

/** The event in words, as the drawing in docs/states.md and error messages name it. */
export function instanceEventName(event: InstanceEvent): string {
  switch (event.type) {
    case 'heartbeat':
      return `heartbeat ${event.phase}`;
    case 'due':
    case 'released':
      return `${event.work} ${event.type}`;
    case 'ended':
      return `ended ${event.state}`;
    case 'trial_recorded':
      return 'trial recorded';
    case 'checked':
      return 'checked';
    case 'prediction_taken':
      return 'prediction taken';
    case 'retry':
      return 'retry';
    default:
      return assertNever(event);
  }
}
