import {
  InstanceState,
  PublicationState,
  RunState,
  TERMINAL_INSTANCE_STATES,
  TERMINAL_RUN_STATES,
} from '@assay/contracts';
import fc from 'fast-check';
import {
  IllegalTransition,
  INSTANCE_EVENTS,
  type InstanceEvent,
  instanceEventName,
  isOverPublicationState,
  isTerminalInstanceState,
  isTerminalRunState,
  nextInstanceState,
  nextPublicationState,
  nextRunState,
  PUBLICATION_EVENTS,
  type PublicationEvent,
  RUN_EVENTS,
  type RunEvent,
  runEventName,
} from './index';

const beat = (phase: 'PREPARING' | 'RUNNING_AGENT' | 'UPLOADING' | 'GRADING'): InstanceEvent => ({
  type: 'heartbeat',
  phase,
});
const path = (events: InstanceEvent[]): InstanceState[] =>
  events.reduce<InstanceState[]>((states, event) => [...states, nextInstanceState(states.at(-1)!, event)], ['QUEUED']);

describe('an instance', () => {
  test('goes its usual way', () => {
    expect(
      path([
        beat('PREPARING'),
        beat('RUNNING_AGENT'),
        beat('RUNNING_AGENT'),
        beat('UPLOADING'),
        { type: 'trial_recorded' },
        beat('GRADING'),
        { type: 'ended', state: 'RESOLVED' },
      ]),
    ).toEqual(['QUEUED', 'PREPARING', 'RUNNING_AGENT', 'RUNNING_AGENT', 'UPLOADING', 'GRADING', 'GRADING', 'RESOLVED']);
  });

  test('may skip phases that were shorter than a heartbeat', () => {
    expect(path([{ type: 'trial_recorded' }, { type: 'ended', state: 'UNRESOLVED' }])).toEqual([
      'QUEUED',
      'GRADING',
      'UNRESOLVED',
    ]);
  });

  test('waits and is tried again, its trial and its grade alike', () => {
    expect(
      path([
        beat('PREPARING'),
        { type: 'retry' },
        { type: 'due', work: 'trial' },
        beat('RUNNING_AGENT'),
        { type: 'trial_recorded' },
        { type: 'retry' },
        { type: 'due', work: 'grade' },
        { type: 'ended', state: 'INFRA_FAILED' },
      ]),
    ).toEqual([
      'QUEUED',
      'PREPARING',
      'RETRY_WAIT',
      'QUEUED',
      'RUNNING_AGENT',
      'GRADING',
      'RETRY_WAIT',
      'GRADING',
      'INFRA_FAILED',
    ]);
  });

  test('takes the result of an expired lease while it waits, and once it is due again', () => {
    expect(nextInstanceState('RETRY_WAIT', { type: 'trial_recorded' })).toBe('GRADING');
    expect(nextInstanceState('QUEUED', { type: 'trial_recorded' })).toBe('GRADING');
    expect(nextInstanceState('RETRY_WAIT', { type: 'ended', state: 'RESOLVED' })).toBe('RESOLVED');
  });

  test('goes back when its worker gives it back', () => {
    expect(nextInstanceState('RUNNING_AGENT', { type: 'released', work: 'trial' })).toBe('QUEUED');
    expect(nextInstanceState('GRADING', { type: 'released', work: 'grade' })).toBe('GRADING');
  });

  test.each([
    ['a phase never goes back', 'RUNNING_AGENT', beat('PREPARING')],
    ['a verdict needs a grade', 'RUNNING_AGENT', { type: 'ended', state: 'RESOLVED' }],
    ['a verdict needs a grade even when nothing has started', 'QUEUED', { type: 'ended', state: 'UNRESOLVED' }],
    ['a graded trial is not recorded again', 'GRADING', { type: 'trial_recorded' }],
    ['a grade is not a trial', 'GRADING', beat('RUNNING_AGENT')],
    ['a trial is not graded before it is recorded', 'UPLOADING', beat('GRADING')],
    ['what does not wait cannot become due', 'QUEUED', { type: 'due', work: 'trial' }],
  ] as [string, InstanceState, InstanceEvent][])('%s', (_rule, state, event) => {
    expect(() => nextInstanceState(state, event)).toThrow(IllegalTransition);
  });

  test('says what was asked of it when it refuses', () => {
    const refused = () => nextInstanceState('RESOLVED', beat('GRADING'));
    expect(refused).toThrow('instance RESOLVED takes no heartbeat GRADING');
    expect(refused).toThrow(IllegalTransition);
  });

  test.each(TERMINAL_INSTANCE_STATES)('that is %s stays so, whatever happens', (state) => {
    expect(isTerminalInstanceState(state)).toBe(true);
    for (const event of INSTANCE_EVENTS) expect(() => nextInstanceState(state, event)).toThrow(IllegalTransition);
  });

  const open = InstanceState.options.filter((state) => !isTerminalInstanceState(state));

  test.each(open)('that is %s can still end by error, by our failure, or be cancelled', (state) => {
    for (const end of ['EXECUTION_ERROR', 'INFRA_FAILED', 'CANCELLED'] as const) {
      expect(nextInstanceState(state, { type: 'ended', state: end })).toBe(end);
    }
  });

  test('reaches every state from QUEUED, and every open state can reach a verdict', () => {
    const next = (state: InstanceState) => reachable(INSTANCE_EVENTS, (event) => nextInstanceState(state, event));
    expect([...closure<InstanceState>('QUEUED', next)].sort()).toEqual([...InstanceState.options].sort());
    for (const state of open) expect(closure<InstanceState>(state, next)).toContain('RESOLVED');
  });

  test('on any walk, ends at most once and never changes after that', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...INSTANCE_EVENTS), { maxLength: 60 }), (events) => {
        let state: InstanceState = 'QUEUED';
        let ends = 0;
        for (const event of events) {
          const before: InstanceState = state;
          state = attempt(() => nextInstanceState(before, event)) ?? before;
          if (isTerminalInstanceState(state) && state !== before) ends += 1;
        }
        expect(ends).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe('a run', () => {
  const walk = (...events: RunEvent[]): RunState => events.reduce<RunState>(nextRunState, 'WAITING');

  test('waits, is frozen, runs, and is judged', () => {
    const way: RunEvent[] = [{ type: 'frozen' }, { type: 'started' }, { type: 'started' }];
    expect(walk(...way)).toBe('RUNNING');
    expect(walk(...way, { type: 'gated', status: 'SUCCEEDED' })).toBe('SUCCEEDED');
    expect(walk(...way, { type: 'gated', status: 'QUARANTINED' })).toBe('QUARANTINED');
  });

  test('is CANCELLED only while it waits; once frozen the gate quarantines it', () => {
    expect(walk({ type: 'cancelled' })).toBe('CANCELLED');
    expect(() => walk({ type: 'frozen' }, { type: 'cancelled' })).toThrow('run QUEUED takes no cancelled');
    expect(walk({ type: 'frozen' }, { type: 'gated', status: 'QUARANTINED' })).toBe('QUARANTINED');
  });

  test.each(['WAITING', 'QUEUED', 'RUNNING'] as const)('that is %s can fail', (state) => {
    expect(nextRunState(state, { type: 'failed' })).toBe('FAILED');
  });

  test('that was not frozen has nothing to start or to judge', () => {
    expect(() => walk({ type: 'started' })).toThrow(IllegalTransition);
    expect(() => walk({ type: 'gated', status: 'QUARANTINED' })).toThrow('run WAITING takes no gated QUARANTINED');
  });

  test.each(TERMINAL_RUN_STATES)('that is %s stays so, whatever happens', (state) => {
    expect(isTerminalRunState(state)).toBe(true);
    for (const event of RUN_EVENTS) expect(() => nextRunState(state, event)).toThrow(IllegalTransition);
  });

  test('reaches every state from WAITING', () => {
    const next = (state: RunState) => reachable(RUN_EVENTS, (event) => nextRunState(state, event));
    expect([...closure<RunState>('WAITING', next)].sort()).toEqual([...RunState.options].sort());
  });
});

describe('a publication', () => {
  const walk = (...types: PublicationEvent['type'][]): PublicationState =>
    types.reduce<PublicationState>((state, type) => nextPublicationState(state, { type }), 'PENDING');

  test('is written, read again, and published', () => {
    expect(walk('failed', 'written', 'verified')).toBe('PUBLISHED');
  });

  test('that cannot be read back, or stands no more, is written again', () => {
    expect(walk('written', 'failed')).toBe('PENDING');
    expect(walk('written', 'written', 'verified')).toBe('PUBLISHED');
  });

  test('is never published unread', () => {
    expect(() => walk('verified')).toThrow('publication PENDING takes no verified');
  });

  test('that was refused or shown stays so, whatever happens', () => {
    for (const state of ['REFUSED', 'DRY_RUN', 'NONE'] as const) {
      for (const event of PUBLICATION_EVENTS)
        expect(() => nextPublicationState(state, event)).toThrow(IllegalTransition);
    }
    expect([walk('refused'), walk('written', 'shown')]).toEqual(['REFUSED', 'DRY_RUN']);
  });

  test('gives way to a newer one at any time, and comes back only if that wrote nothing', () => {
    expect([walk('superseded'), walk('written', 'verified', 'superseded')]).toEqual(['SUPERSEDED', 'SUPERSEDED']);
    expect(walk('superseded', 'reinstated', 'written')).toBe('WRITTEN');
    expect(() => walk('written', 'reinstated')).toThrow(IllegalTransition);
  });

  test('reaches every state but NONE from PENDING; only open ones are worked on', () => {
    const next = (state: PublicationState) =>
      reachable(PUBLICATION_EVENTS, (event) => nextPublicationState(state, event));
    const reached = closure<PublicationState>('PENDING', next);
    expect(PublicationState.options.filter((state) => !reached.has(state))).toEqual(['NONE']);
    expect(PublicationState.options.filter((state) => !isOverPublicationState(state))).toEqual(['PENDING', 'WRITTEN']);
  });
});

test('every event has a name of its own', () => {
  const names = [...INSTANCE_EVENTS.map(instanceEventName), ...RUN_EVENTS.map(runEventName)];
  expect(new Set(names).size).toBe(names.length);
});

function attempt<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof IllegalTransition) return null;
    throw error;
  }
}

function reachable<Event, State>(events: readonly Event[], next: (event: Event) => State): State[] {
  return events.map((event) => attempt(() => next(event))).filter((state) => state !== null);
}

function closure<State>(start: State, next: (state: State) => State[]): Set<State> {
  const seen = new Set([start]);
  for (const state of seen) for (const found of next(state)) seen.add(found);
  return seen;
}
