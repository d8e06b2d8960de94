import { InstanceId, PublicResult, type RunUsage } from '@assay/contracts';
import { aFailedResult } from '@assay/testing';
import { decideGate, type GateInstance, scoreLines, scoreOf, showsScore } from './index';

const counts = (resolved: number, unresolved: number, executionError = 0, infraFailed = 0) => ({
  total: resolved + unresolved + executionError + infraFailed,
  resolved,
  unresolved,
  executionError,
  infraFailed,
  cancelled: 0,
});

const usage: RunUsage = {
  calls: 4000,
  promptTokens: 1_234_567,
  completionTokens: 89,
  cachedTokens: 1000,
  costUsd: 41.2,
  estimated: false,
  attempts: 501,
  uncountedAttempts: 0,
};

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
    graderNetwork: 'outside',
    sandbox: 'docker',
    manifestDigest: 'c'.repeat(64),
    release: null,
    trigger: 'release',
    githubRunUrl: null,
    traceId: null,
    counts: counts(377, 118, 2, 3),
    score: scoreOf(counts(377, 118, 2, 3)),
    gate: {
      expectedInstances: 500,
      errorThreshold: 10,
      forgedMarker: 'quarantine',
      gradeOnly: false,
      budgetReached: null,
    },
    reasons: [],
    usage,
    startedAt: null,
    finishedAt: null,
    instances: [],
    ...over,
  });
}

const method = [
  'Suite: swe-bench-verified, dataset SWE-bench_Verified@c104f840',
  'Limits: 3600 s per trial, 100 turns, 2 CPUs, 4096 MiB',
  'Method: agent qwen-code 0.21.15, model qwen3-coder-plus, sandbox docker (sealed), grader swebench-5.0.1 ' +
    '(outside network), up to 4 attempts, again only after a fault of the infrastructure',
  `Versions: commit ${'ab'.repeat(20)}, package 0.21.15, manifest cccccccccccc`,
  'Cost: 41.20 USD; 1,234,567 prompt tokens (1,000 cached) and 89 completion tokens, in 4000 calls of 501 attempts',
];

test('a score stands with its count, interval, all three denominators, coverage and what it was measured with', () => {
  expect(scoreLines(result())).toEqual([
    'Score: 76.16 % (377 / 495 instances with a verdict)',
    '95 % interval: 72.22 to 79.70 % (Wilson)',
    'Of all instances: 75.40 % (377 / 500)',
    'At most: 76.40 % (if the 5 without a verdict were all resolved)',
    'Coverage: 99.00 % (495 / 500 have a verdict)',
    'Instances: 377 resolved, 118 unresolved, 2 execution errors, 3 infrastructure failures, 0 cancelled; 500 in all',
    ...method,
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
      kind: 'benchmark',
      gradeOnly: false,
      budgetReached: null,
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
    ...method,
  ]);
  expect(lines.join('\n')).not.toContain('%');
});

test('an infrastructure check says how many sandboxes started, and nothing that reads like a verdict', () => {
  const gate = { ...result().gate, kind: 'infrastructure' as const };
  const check = result({
    gate,
    publish: 'counts',
    score: null,
    counts: { ...counts(498, 0, 0), infraFailed: 2, total: 500 },
  });
  const lines = scoreLines(check);
  expect(lines.slice(0, 2)).toEqual([
    'Infrastructure check: 498 of 500 sandboxes started',
    'Sandboxes: 498 started and checked, 2 failed, 0 cancelled; 500 in all; no agent ran, not a score',
  ]);
  expect(lines.join('\n')).not.toMatch(/resolved|benchmark score/);
  expect(scoreLines({ ...check, status: 'QUARANTINED' })[0]).toBe('QUARANTINED: not a score');
  expect(showsScore({ ...check, publish: 'score' })).toBe(false);
});

test('a diagnostic says that it says nothing about an agent', () => {
  const gate = { ...result().gate, kind: 'diagnostic' as const };
  expect(scoreLines(result({ gate, publish: 'counts', score: null, counts: counts(5, 3, 0) }))[0]).toBe(
    '5 / 8 in a diagnostic: says nothing about an agent',
  );
});

test('a suite that publishes counts shows k / N and says that it is not a benchmark score', () => {
  const demo = result({ publish: 'counts', benchmarkSize: null, score: null, counts: counts(5, 1, 2) });
  expect(scoreLines(demo)).toEqual([
    '5 / 8, not a benchmark score',
    'Instances: 5 resolved, 1 unresolved, 2 execution errors, 0 infrastructure failures, 0 cancelled; 8 in all',
    ...method,
  ]);
});

test.each([
  [
    'is a part of its benchmark',
    { benchmarkSize: 501 },
    '377 of 500 run, of 501 in the benchmark: not a benchmark score',
  ],
  ['is larger than its benchmark', { benchmarkSize: 499 }, '377 / 500, not a benchmark score'],
  ['belongs to no benchmark', { benchmarkSize: null }, '377 / 500, not a benchmark score'],
  ['has a suite that publishes counts', { publish: 'counts' as const }, '377 / 500, not a benchmark score'],
])('a score that a result carries by mistake is not shown when the run %s', (_why, over, verdict) => {
  const lines = scoreLines(result(over));
  expect(lines[0]).toBe(verdict);
  expect(lines.join('\n')).not.toContain('%');
  expect([showsScore(result(over)), showsScore(result())]).toEqual([false, true]);
});

test('one instance of a benchmark is never a hundred per cent', () => {
  const lines = scoreLines(result({ counts: counts(1, 0), score: scoreOf(counts(1, 0)) }));
  expect(lines[0]).toBe('1 of 1 run, of 500 in the benchmark: not a benchmark score');
  expect(lines.join('\n')).not.toContain('%');
});

test.each(['WAITING', 'QUEUED', 'RUNNING', 'QUARANTINED', 'CANCELLED'] as const)(
  'a run that is %s has no score, whatever else the result carries',
  (status) => {
    const lines = scoreLines(result({ status }));
    expect(lines[0]).toBe(`${status}: not a score`);
    expect(lines.join('\n')).not.toContain('%');
  },
);

test('a run that failed before it was measured says so, and the real cause', () => {
  const failed = aFailedResult({ failure: { code: 'package_missing', message: 'npm has no version 1.2.0' } });
  expect(scoreLines(failed)).toEqual([
    'Failed, not scored',
    'Cause: npm has no version 1.2.0 (package_missing)',
    'Nothing was measured; model some-model',
  ]);
  expect(showsScore(failed)).toBe(false);
});

test('a run that is under way counts what is open', () => {
  const lines = scoreLines(result({ status: 'RUNNING', score: null, counts: { ...counts(1, 1), total: 8 } }));
  expect(lines[1]).toBe(
    'Instances: 1 resolved, 1 unresolved, 0 execution errors, 0 infrastructure failures, 0 cancelled, 6 open; 8 in all',
  );
});

test('no turn limit is said in words', () => {
  const limits = { wallSeconds: 60, turns: null, cpus: 1, memoryMb: 512 };
  expect(scoreLines(result({ limits }))).toContain('Limits: 60 s per trial, no turn limit, 1 CPU, 512 MiB');
});

test.each([
  ['docker', 'none', 'sandbox docker (sealed), grader swebench-5.0.1 (sealed), 1 attempt'],
  ['docker', 'outside', 'sandbox docker (sealed), grader swebench-5.0.1 (outside network), 1 attempt'],
  ['process', 'none', 'sandbox process (not isolated), grader swebench-5.0.1 (not isolated), 1 attempt'],
] as const)('the method of a run in %s with network %s', (sandbox, graderNetwork, said) => {
  const line = scoreLines(result({ sandbox, graderNetwork, maxAttempts: 1 })).find((one) => one.startsWith('Method'));
  expect(line).toBe(`Method: agent qwen-code 0.21.15, model qwen3-coder-plus, ${said}`);
});

test('errors are counted by their code, the most frequent first', () => {
  const ended = ['a_code', 'z_code', 'z_code', null].map((failure, at) => ({
    id: InstanceId.parse(`i-${at}`),
    sample: 0,
    state: 'EXECUTION_ERROR' as const,
    attempts: 1,
    failure,
    limit: null,
    suspicions: [],
    hasResult: false,
    hasTrajectory: false,
  }));
  expect(scoreLines(result({ instances: ended }))).toContain('Errors: 2 z_code, 1 a_code');
});

describe('the cost', () => {
  const costOf = (over: Partial<RunUsage>) => scoreLines(result({ usage: { ...usage, ...over } })).at(-1);

  test('says that it is estimated, that it is not known, and what was not counted', () => {
    expect(costOf({ estimated: true })).toContain('89 completion tokens, estimated, in 4000 calls');
    expect(costOf({ costUsd: null })).toContain('Cost: unknown; 1,234,567 prompt tokens');
    expect(costOf({ uncountedAttempts: 2 })).toMatch(/of 501 attempts; 2 more attempts not counted$/);
    expect(costOf({ attempts: 0, calls: 0, uncountedAttempts: 1 })).toBe('Cost: unknown; 1 more attempt not counted');
  });

  test('of agents that call no model is not zero dollars but no calls', () => {
    expect(costOf({ calls: 0, costUsd: 0 })).toBe('Cost: no model calls in 501 attempts');
  });
});

test('a suite that publishes nothing has nothing to say', () => {
  expect(scoreLines(result({ publish: 'none', score: null }))).toEqual([]);
});
