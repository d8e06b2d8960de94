import { PublicResult } from '@assay/contracts';
import { decideGate, type GateInstance, scoreLines, scoreOf } from './index';

const counts = (resolved: number, unresolved: number, executionError = 0, infraFailed = 0) => ({
  total: resolved + unresolved + executionError + infraFailed,
  resolved,
  unresolved,
  executionError,
  infraFailed,
  cancelled: 0,
});

function result(over: Partial<PublicResult> = {}): PublicResult {
  return PublicResult.parse({
    schemaVersion: 'assay.result/1',
    runId: 'run-1',
    status: 'SUCCEEDED',
    suite: 'swe-bench-verified',
    title: 'SWE-bench Verified',
    publish: 'score',
    benchmarkSize: 500,
    dataset: { name: 'SWE-bench_Verified', revision: 'c104f840' },
    evaluated: { ref: 'v0.21.15', commit: 'ab'.repeat(20), packageVersion: '0.21.15' },
    agent: { name: 'qwen-code', version: '0.21.15' },
    model: 'qwen3-coder-plus',
    limits: { wallSeconds: 3600, turns: 100, cpus: 2, memoryMb: 4096 },
    maxAttempts: 4,
    graderVersion: 'swebench-5.0.1',
    sandbox: 'docker',
    manifestDigest: 'c'.repeat(64),
    release: null,
    trigger: 'release',
    githubRunUrl: null,
    traceId: null,
    counts: counts(377, 118, 2, 3),
    score: scoreOf(counts(377, 118, 2, 3)),
    gate: { expectedInstances: 500, errorThreshold: 10, forgedMarker: 'quarantine', gradeOnly: false },
    reasons: [],
    startedAt: null,
    finishedAt: null,
    instances: [],
    ...over,
  });
}

const measured =
  'Measured with: qwen-code 0.21.15, commit abababababab, model qwen3-coder-plus, dataset SWE-bench_Verified@c104f840, ' +
  '3600 s per trial, 100 turns, 2 CPUs, 4096 MiB, up to 4 attempts, grader swebench-5.0.1, sandbox docker, ' +
  'manifest cccccccccccc';

test('a score stands with its count, interval, all three denominators, coverage and what it was measured with', () => {
  expect(scoreLines(result())).toEqual([
    'Score: 76.16 % (377 / 495 instances with a verdict)',
    '95 % interval: 72.22 to 79.70 % (Wilson)',
    'Of all instances: 75.40 % (377 / 500)',
    'At most: 76.40 % (if the 5 without a verdict were all resolved)',
    'Coverage: 99.00 % (495 / 500 have a verdict)',
    'Instances: 377 resolved, 118 unresolved, 2 execution errors, 3 infrastructure failures, 0 cancelled; 500 in all',
    measured,
  ]);
});

test('a quarantined run says that it is not a score, its counts and its reasons, and no percentage', () => {
  const instances = Object.entries({ RESOLVED: 332, UNRESOLVED: 107, EXECUTION_ERROR: 56, INFRA_FAILED: 5 }).flatMap(
    ([state, n]) =>
      Array.from({ length: n }, (_, i) => ({
        id: `${state}-${String(i)}`,
        state: state as GateInstance['state'],
        hasResult: true,
        hasTrajectory: true,
        suspicions: [],
      })),
  );
  const { status, counts, score, reasons } = decideGate({
    instances,
    policy: {
      expectedInstances: 500,
      errorThreshold: 10,
      publish: 'score',
      gradeOnly: false,
      forgedMarker: 'ignore',
      benchmarkSize: 500,
    },
  });
  const lines = scoreLines(result({ status, counts, score, reasons }));
  expect(lines).toEqual([
    'QUARANTINED: not a score',
    'Instances: 332 resolved, 107 unresolved, 56 execution errors, 5 infrastructure failures, 0 cancelled; 500 in all',
    'Reason: Without a verdict: 61 of 500 instances (56 execution errors, 5 infrastructure failures); ' +
      'there must be fewer than 10. (too_many_errors)',
    measured,
  ]);
  expect(lines.join('\n')).not.toContain('%');
});

test('a suite that publishes counts shows k / N and says that it is not a benchmark score', () => {
  const demo = result({ publish: 'counts', benchmarkSize: null, score: null, counts: counts(5, 1, 2) });
  expect(scoreLines(demo)).toEqual([
    '5 / 8, not a benchmark score',
    'Instances: 5 resolved, 1 unresolved, 2 execution errors, 0 infrastructure failures, 0 cancelled; 8 in all',
    measured,
  ]);
});

test.each([
  ['is a part of its benchmark', { benchmarkSize: 501 }],
  ['belongs to no benchmark', { benchmarkSize: null }],
  ['has a suite that publishes counts', { publish: 'counts' as const }],
])('a score that a result carries by mistake is not shown when the run %s', (_why, over) => {
  const lines = scoreLines(result(over));
  expect(lines[0]).toBe('377 / 500, not a benchmark score');
  expect(lines.join('\n')).not.toContain('%');
});

test.each(['WAITING', 'QUEUED', 'RUNNING', 'QUARANTINED', 'FAILED', 'CANCELLED'] as const)(
  'a run that is %s has no score, whatever else the result carries',
  (status) => {
    const lines = scoreLines(result({ status }));
    expect(lines[0]).toBe(`${status}: not a score`);
    expect(lines.join('\n')).not.toContain('%');
  },
);

test('a run that is under way counts what is open', () => {
  const lines = scoreLines(result({ status: 'RUNNING', score: null, counts: { ...counts(1, 1), total: 8 } }));
  expect(lines[1]).toBe(
    'Instances: 1 resolved, 1 unresolved, 0 execution errors, 0 infrastructure failures, 0 cancelled, 6 open; 8 in all',
  );
});

test('no turn limit is said in words', () => {
  const limits = { wallSeconds: 60, turns: null, cpus: 1, memoryMb: 512 };
  expect(scoreLines(result({ limits })).at(-1)).toContain('60 s per trial, no turn limit, 1 CPU, ');
});

test('a suite that publishes nothing has nothing to say', () => {
  expect(scoreLines(result({ publish: 'none', score: null }))).toEqual([]);
});
