import { ChainState, PublicationState, RunState, type PublicationState as Publication } from '@assay/contracts';
import {
  afterInChain,
  CHAIN_EVENTS,
  chainedKey,
  type ChainedAfter,
  IllegalTransition,
  isOverChainState,
  isTerminalRunState,
  nextChainState,
} from './index';

const before = (over: Partial<ChainedAfter> = {}): ChainedAfter => ({
  runId: 'run-1',
  state: 'SUCCEEDED',
  publication: 'PUBLISHED',
  publicationReason: null,
  failure: null,
  ...over,
});
const stepAt = (state: RunState, publication: Publication): string => afterInChain(before({ state, publication })).step;

describe('the next suite of a chain', () => {
  test('waits while the run before it is open, whatever its publication says', () => {
    const open = RunState.options.filter((state) => !isTerminalRunState(state));
    expect(open.length).toBeGreaterThan(0);
    for (const state of open) {
      for (const publication of PublicationState.options) expect(stepAt(state, publication)).toBe('wait');
    }
  });

  test.each(['PENDING', 'WRITTEN'] as const)('waits while the publication is %s', (publication) => {
    for (const state of ['SUCCEEDED', 'QUARANTINED', 'FAILED'] as const) {
      expect(stepAt(state, publication)).toBe('wait');
    }
  });

  test.each(['SUCCEEDED', 'QUARANTINED', 'FAILED'] as const)('starts after a %s that was published', (state) => {
    expect(stepAt(state, 'PUBLISHED')).toBe('start');
  });

  test.each(['NONE', 'DRY_RUN'] as const)('starts when the run is over and its publication is %s', (publication) => {
    expect(stepAt('SUCCEEDED', publication)).toBe('start');
  });

  test('is skipped when the run before it gave way to a newer one', () => {
    expect(afterInChain(before({ publication: 'SUPERSEDED' }))).toEqual({
      step: 'skip',
      cause: 'superseded',
      reason: 'a newer run of the release took the place of the run run-1 before it',
    });
  });

  test('is skipped with the publisher’s reason when the run before it may not be published', () => {
    const publicationReason = 'the release v1.0.0 of example/agent was deleted';
    expect(afterInChain(before({ publication: 'REFUSED', publicationReason }))).toEqual({
      step: 'skip',
      cause: 'refused',
      reason: `the run run-1 before it may not be published: ${publicationReason}`,
    });
  });

  test('is skipped when the run before it was cancelled while it waited', () => {
    expect(afterInChain(before({ state: 'CANCELLED', publication: 'NONE' }))).toMatchObject({
      step: 'skip',
      cause: 'cancelled',
    });
  });

  test.each(['release_wrong', 'ref_wrong', 'tag_moved', 'package_late'])(
    'is skipped after %s: the next suite would find the same',
    (code) => {
      const failure = { code, message: 'it never came' };
      expect(afterInChain(before({ state: 'FAILED', failure }))).toMatchObject({
        step: 'skip',
        cause: 'not_measurable',
        reason: expect.stringContaining('it never came') as string,
      });
    },
  );

  test('starts after a suite that could not be read: that says nothing about the next', () => {
    const failure = { code: 'suite_invalid', message: 'suite demo: source: expected a folder' };
    expect(afterInChain(before({ state: 'FAILED', failure }))).toEqual({ step: 'start' });
  });
});

describe('the key of the next suite', () => {
  test('is the one that qwen-code’s own pipeline gives Terminal-Bench 2.0', () => {
    expect(chainedKey('dsw-release-v1-17', 'terminal_bench_2')).toBe('dsw-release-v1-17-terminal-bench-2.0');
  });

  test.each([
    ['swe_verified_smoke', 'k-swe-verified-smoke'],
    ['dsw_release_swe_verified_v1', 'k-dsw-release-swe-verified-v1'],
    ['demo', 'k-demo'],
    ['bench-2.1', 'k-bench-2.1'],
  ])('of %s is %s', (suite, key) => {
    expect(chainedKey('k', suite)).toBe(key);
  });
});

describe('a link of a chain', () => {
  test('leaves PENDING once, and comes back to it only from SKIPPED', () => {
    const steps = ChainState.options.flatMap((from) =>
      CHAIN_EVENTS.flatMap((event) => {
        try {
          return [`${from} ${event} ${nextChainState(from, event)}`];
        } catch (error) {
          expect(error).toBeInstanceOf(IllegalTransition);
          return [];
        }
      }),
    );
    expect(steps).toEqual(['PENDING started STARTED', 'PENDING skipped SKIPPED', 'SKIPPED reopened PENDING']);
    expect(ChainState.options.filter((state) => !isOverChainState(state))).toEqual(['PENDING']);
  });

  test('that was started is never skipped or started again', () => {
    expect(() => nextChainState('STARTED', 'skipped')).toThrow('chain STARTED takes no skipped');
  });
});
