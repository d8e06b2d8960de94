import { RunId, RunView } from '@assay/contracts';
import { aFailedResult, aPublicResult } from '@assay/testing';
import { runText } from './show';

function aRun(over: Partial<RunView> = {}): RunView {
  return RunView.parse({
    runId: 'run-1',
    state: 'SUCCEEDED',
    publicationState: 'PUBLISHED',
    suite: 'demo',
    agent: 'mini',
    model: 'some-model',
    evaluated: { ref: 'v1.2.0', commit: null, packageVersion: null },
    release: { repository: 'acme/agent', id: 7, tag: 'v1.2.0' },
    trigger: 'release',
    states: {},
    counts: { total: 5, resolved: 3, unresolved: 1, executionError: 1, infraFailed: 0, cancelled: 0 },
    lastError: null,
    failure: null,
    stalled: false,
    traceId: null,
    createdAt: '2026-01-01T00:00:00Z',
    startedAt: null,
    finishedAt: null,
    publicationReason: null,
    publicationRetryAt: null,
    publicationDifference: null,
    result: aPublicResult(),
    chain: [],
    chainOf: null,
    ...over,
  });
}

const shown = (run: RunView, difference: string | null): string =>
  runText(run, { instances: [], difference, notifications: [] });

test('a publication that was refused says why', () => {
  const run = aRun({ publicationState: 'REFUSED', publicationReason: 'publication is for prereleases only' });
  expect(shown(run, null)).toContain(
    'release acme/agent v1.2.0: REFUSED\nnothing was written: publication is for prereleases only\n',
  );
});

test('a publication that waits for somebody says for what, and when it is looked at again', () => {
  const run = aRun({
    publicationState: 'PENDING',
    lastError: 'the notes of the release leave no room for the result (release_body_too_long)',
    publicationRetryAt: '2026-01-01T00:10:00Z',
  });
  expect(shown(run, null)).toContain(
    'release acme/agent v1.2.0: PENDING\n' +
      'last error: the notes of the release leave no room for the result (release_body_too_long)\n' +
      'what to do: Shorten the notes of the release: the result is written within ten minutes after that, by itself.\n' +
      'the release is looked at again at 2026-01-01T00:10:00Z\n',
  );
  expect(shown(aRun({ lastError: 'something (of_no_code)' }), null)).not.toContain('what to do');
});

test('a dry run shows the exact difference, last of all', () => {
  const run = aRun({ publicationState: 'DRY_RUN', publicationReason: 'publication is a dry run' });
  const difference = '--- v1.2.0\n+++ v1.2.0\n@@ -1 +1,2 @@\n Notes\n+block\n';
  expect(shown(run, difference)).toMatch(/changed by this:\n\n--- v1.2.0[\s\S]*\+block$/);
  expect(shown(run, null)).not.toContain('changed by this');
});

test('a run that failed before it had a result says why, and what to do', () => {
  const failure = { code: 'suite_invalid', message: 'limit: expected 1 to 8, got 9' };
  const text = shown(aRun({ state: 'FAILED', failure, result: null, publicationState: 'NONE' }), null);
  expect(text).toContain('failed: limit: expected 1 to 8, got 9 (suite_invalid)\nwhat to do: ');
  expect(shown(aRun(), null)).not.toContain('failed:');
});

test('a run that failed has its cause and no score', () => {
  const text = shown(aRun({ state: 'FAILED', lastError: 'npm has no version', result: aFailedResult() }), null);
  expect(text).toContain('last error: npm has no version');
  expect(text).not.toContain('score');
});

test('a chain shows each suite that follows, its run, and why there is none', () => {
  const link = { limit: null, instanceId: null, at: '2026-01-01T00:00:00Z', reason: null, runId: null };
  const chain = [
    { ...link, suite: 'terminal_bench_2', state: 'STARTED' as const, runId: RunId.parse('run-2') },
    { ...link, suite: 'extra', state: 'SKIPPED' as const, reason: 'the run run-2 before it was cancelled' },
    { ...link, suite: 'later', state: 'PENDING' as const },
  ];
  expect(shown(aRun({ chain }), null)).toContain(
    'then terminal_bench_2: STARTED as run-2\nthen extra: SKIPPED, because the run run-2 before it was cancelled\nthen later: PENDING\n',
  );
  expect(shown(aRun({ chainOf: RunId.parse('run-0') }), null)).toContain('follows the run run-0\n');
});

test('a notification that nobody took is shown with its last answer', () => {
  const told = { event: 'run.ended' as const, at: '2026-01-01T00:00:00Z', settledAt: null };
  const notifications = [
    { ...told, target: 'ops', state: 'PENDING' as const, tries: 2, lastError: 'answered 503' },
    { ...told, target: 'tracker', state: 'SENT' as const, tries: 1, lastError: null },
  ];
  expect(runText(aRun(), { instances: [], difference: null, notifications })).toContain(
    'notification run.ended to ops: PENDING after 2 tries: answered 503\nnotification run.ended to tracker: SENT after 1 try\n',
  );
});
