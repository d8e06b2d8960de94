import type { InstanceState } from '@assay/contracts';
import { InstanceState as States, QuarantineReason } from '@assay/contracts';
import fc from 'fast-check';
import { decideGate, type GateInstance, type GatePolicy, maxErrorThreshold } from './index';

const verified: GatePolicy = {
  expectedInstances: 500,
  errorThreshold: 10,
  publish: 'score',
  kind: 'benchmark',
  forgedMarker: 'quarantine',
  benchmarkSize: 500,
  gradeOnly: false,
  budgetReached: null,
};

let serial = 0;
const instance = (state: InstanceState, over: Partial<GateInstance> = {}): GateInstance => ({
  id: `case-${String(++serial)}`,
  state,
  hasResult: true,
  hasTrajectory: true,
  suspicions: [],
  ...over,
});
const many = (n: number, state: InstanceState): GateInstance[] => Array.from({ length: n }, () => instance(state));
const run = (resolved: number, unresolved: number, executionError = 0, infraFailed = 0): GateInstance[] => [
  ...many(resolved, 'RESOLVED'),
  ...many(unresolved, 'UNRESOLVED'),
  ...many(executionError, 'EXECUTION_ERROR'),
  ...many(infraFailed, 'INFRA_FAILED'),
];
const codes = (instances: GateInstance[], policy: Partial<GatePolicy> = {}): string[] =>
  decideGate({
    instances,
    policy: { ...verified, expectedInstances: instances.length, benchmarkSize: instances.length, ...policy },
  }).reasons.map(({ code }) => code);

describe('real runs', () => {
  test('332/107/56/5 of 500 is quarantined: 61 have no verdict, fewer than 10 may', () => {
    expect(decideGate({ instances: run(332, 107, 56, 5), policy: verified })).toEqual({
      status: 'QUARANTINED',
      counts: { total: 500, resolved: 332, unresolved: 107, executionError: 56, infraFailed: 5, cancelled: 0 },
      score: null,
      reasons: [
        {
          code: 'too_many_errors',
          message:
            'Without a verdict: 61 of 500 instances (56 execution errors, 5 infrastructure failures); ' +
            'there must be fewer than 10.',
        },
      ],
    });
  });

  test('377/118/2/3 of 500 succeeds with 76.16 %', () => {
    const decision = decideGate({ instances: run(377, 118, 2, 3), policy: verified });
    expect(decision).toMatchObject({ status: 'SUCCEEDED', reasons: [], score: { percent: 76.16, scorable: 495 } });
  });

  test('376/116/1/7 of 500 passes: 8 errors are fewer than 10', () => {
    expect(decideGate({ instances: run(376, 116, 1, 7), policy: verified }).status).toBe('SUCCEEDED');
  });

  test('0/0/1/0 of 1 is quarantined twice over, even under an absolute threshold of 10', () => {
    expect(codes(run(0, 0, 1))).toEqual(['too_many_errors', 'nothing_scorable']);
    expect(codes(run(0, 0, 1), { publish: 'counts' })).toEqual(['nothing_scorable']);
  });

  test('an interrupted run of 12/8 with the rest open is quarantined', () => {
    const instances = [...run(12, 8), ...many(480, 'QUEUED')];
    const { reasons } = decideGate({ instances, policy: verified });
    expect(reasons.map(({ code }) => code)).toEqual(['instances_open']);
    expect(reasons[0]?.message).toMatch(/^Not ended: 480 of 500 instances \(case-\d+, .* and 475 more\)\.$/);
  });
});

describe('each rule alone quarantines, by its own code', () => {
  test('an instance of the manifest that is missing', () => {
    expect(codes(run(5, 5), { expectedInstances: 11, benchmarkSize: 11 })).toEqual(['instances_missing']);
  });

  test('an instance that stands twice in the run', () => {
    const [first, ...rest] = run(5, 5);
    expect(codes([first!, first!, ...rest], { expectedInstances: 10 })).toEqual(['instance_listed_twice']);
  });

  test('an instance twice in place of another is both', () => {
    const [first, , ...rest] = run(5, 5);
    expect(codes([first!, first!, ...rest])).toEqual(['instances_missing', 'instance_listed_twice']);
  });

  test.each(['QUEUED', 'PREPARING', 'RUNNING_AGENT', 'UPLOADING', 'GRADING', 'RETRY_WAIT'] as const)(
    'one that is still %s',
    (state) => {
      expect(codes([...run(5, 5), instance(state)])).toEqual(['instances_open']);
    },
  );

  test('one that was cancelled', () => {
    expect(codes([...run(5, 5), instance('CANCELLED')])).toEqual(['instances_cancelled']);
  });

  test('errors at the threshold; one fewer is let through', () => {
    expect(codes(run(400, 90, 5, 5))).toEqual(['too_many_errors']);
    expect(codes(run(400, 91, 5, 4))).toEqual([]);
  });

  test('a verdict without a stored result, and one without a trajectory', () => {
    expect(codes([...run(5, 5), instance('RESOLVED', { hasResult: false })])).toEqual(['results_missing']);
    expect(codes([...run(5, 5), instance('UNRESOLVED', { hasTrajectory: false })])).toEqual(['trajectories_missing']);
  });

  test('but an error needs neither result nor trajectory', () => {
    const bare = instance('EXECUTION_ERROR', { hasResult: false, hasTrajectory: false });
    expect(codes([...run(50, 50), bare])).toEqual([]);
  });

  test('a run in which nothing has a verdict', () => {
    expect(codes(run(0, 0, 2, 1), { publish: 'counts' })).toEqual(['nothing_scorable']);
    expect(codes([])).toEqual(['nothing_scorable']);
  });

  test('a forged exit marker on a resolved instance, unless the suite ignores it', () => {
    const forged = instance('RESOLVED', { suspicions: ['forged_exit_marker'] });
    expect(codes([...run(5, 5), forged])).toEqual(['forged_exit_marker']);
    expect(codes([...run(5, 5), forged], { forgedMarker: 'ignore' })).toEqual([]);
  });

  test('but no other suspicion, and none on an unresolved one', () => {
    const instances = [
      instance('UNRESOLVED', { suspicions: ['forged_exit_marker'] }),
      instance('RESOLVED', { suspicions: ['patch_touches_tests'] }),
    ];
    expect(codes(instances)).toEqual([]);
  });
});

test('every reason says its numbers, and names what it is about', () => {
  const a: Partial<GateInstance> = { id: 'a' };
  const sentences = (instances: GateInstance[], expectedInstances = instances.length): string[] =>
    decideGate({ instances, policy: { ...verified, expectedInstances } }).reasons.map(({ message }) => message);
  expect(sentences([instance('RESOLVED', a)], 2)).toEqual(['The manifest has 2 instances, the run has 1.']);
  expect(sentences([instance('RESOLVED', a), instance('RESOLVED', a)], 1)).toEqual([
    'Listed more than once: 1 of 1 instance (a).',
  ]);
  expect(sentences([...run(1, 1), instance('CANCELLED', a)])).toEqual(['Cancelled: 1 of 3 instances.']);
  expect(sentences([...run(1, 1), instance('UNRESOLVED', { ...a, hasResult: false, hasTrajectory: false })])).toEqual([
    'With a verdict but no stored result: 1 of 3 instances (a).',
    'With a verdict but no stored trajectory: 1 of 3 instances (a).',
  ]);
  expect(sentences(run(0, 0, 1))).toEqual([
    'Without a verdict: 1 of 1 instance (1 execution error, 0 infrastructure failures); there must be fewer than 1.',
    'With a verdict: 0 of 1 instance; a score would be 0 / 0.',
  ]);
  expect(sentences([...run(1, 1), instance('RESOLVED', { ...a, suspicions: ['forged_exit_marker'] })])).toEqual([
    "Resolved, but the grader's own exit marker was forged: 1 of 2 instances (a).",
  ]);
});

describe('the threshold', () => {
  test.each([
    [1, 1],
    [8, 1],
    [50, 1],
    [51, 2],
    [89, 2],
    [500, 10],
    [501, 11],
  ])('of a suite of %d that may publish a score is at most %d', (n, highest) => {
    expect(maxErrorThreshold(n)).toBe(highest);
  });

  test('of a suite that publishes scores is held to that, whatever the suite states', () => {
    expect(codes(run(80, 7, 1, 1), { errorThreshold: 50 })).toEqual(['too_many_errors']);
    expect(codes(run(80, 7, 1, 1), { errorThreshold: 50, publish: 'counts' })).toEqual([]);
  });

  test("may be stricter by the suite's own word", () => {
    expect(codes(run(497, 0, 2, 1), { errorThreshold: 3 })).toEqual(['too_many_errors']);
  });
});

describe('what a suite lets out', () => {
  test.each(['none', 'counts'] as const)('%s: the gate passes, and there is no score', (publish) => {
    const decision = decideGate({ instances: run(377, 118, 2, 3), policy: { ...verified, publish } });
    expect(decision).toMatchObject({ status: 'SUCCEEDED', score: null, reasons: [] });
  });

  test('score: not for a part of the benchmark, and not for what is no benchmark', () => {
    const policy = { ...verified, expectedInstances: 50 };
    expect(decideGate({ instances: run(40, 10), policy })).toMatchObject({ status: 'SUCCEEDED', score: null });
    const none = { ...policy, benchmarkSize: null };
    expect(decideGate({ instances: run(40, 10), policy: none })).toMatchObject({ status: 'SUCCEEDED', score: null });
  });
});

const anyInstance = fc.record<GateInstance>({
  id: fc.integer({ min: 1, max: 60 }).map((n) => `case-${String(n)}`),
  state: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom<InstanceState>('RESOLVED', 'UNRESOLVED') },
    { weight: 1, arbitrary: fc.constantFrom(...States.options) },
  ),
  hasResult: fc.oneof({ weight: 30, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  hasTrajectory: fc.oneof({ weight: 30, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  suspicions: fc.oneof(
    { weight: 30, arbitrary: fc.constant<string[]>([]) },
    { weight: 1, arbitrary: fc.constant(['forged_exit_marker']) },
  ),
});
const anyRun = fc.record({
  instances: fc.oneof(
    fc.array(anyInstance, { maxLength: 40 }),
    fc.uniqueArray(anyInstance, { maxLength: 40, selector: ({ id }) => id }),
  ),
  errorThreshold: fc.integer({ min: 1, max: 12 }),
  publish: fc.constantFrom('none', 'counts', 'score'),
  kind: fc.constantFrom('benchmark', 'benchmark', 'benchmark', 'diagnostic', 'infrastructure'),
  forgedMarker: fc.constantFrom('quarantine', 'ignore'),
  missing: fc.constantFrom(0, 0, 0, 1),
  benchmark: fc.constantFrom('whole', 'whole', 'part', 'none'),
});

describe('what is no benchmark', () => {
  test.each(['diagnostic', 'infrastructure'] as const)(
    'of the kind %s never has a score, whatever its suite says',
    (kind) => {
      const decision = decideGate({ instances: run(377, 123), policy: { ...verified, kind } });
      expect(decision).toMatchObject({ status: 'SUCCEEDED', score: null, reasons: [] });
    },
  );

  test('an infrastructure check has no grades, so none is missing; a diagnostic has', () => {
    const instances = run(500, 0).map((one) => ({ ...one, hasResult: false }));
    const codes = (kind: GatePolicy['kind']) =>
      decideGate({ instances, policy: { ...verified, kind } }).reasons.map(({ code }) => code);
    expect([codes('infrastructure'), codes('diagnostic')]).toEqual([[], ['results_missing']]);
  });

  test('an infrastructure check of which a sandbox failed is held to the threshold, as everything is', () => {
    const policy = { ...verified, kind: 'infrastructure', publish: 'counts', errorThreshold: 1 } as const;
    const instances = run(499, 0, 0, 1).map((one) => ({ ...one, hasResult: false }));
    expect(decideGate({ instances, policy }).reasons.map(({ code }) => code)).toEqual(['too_many_errors']);
  });
});

describe('a grade-only run', () => {
  const policy = { ...verified, gradeOnly: true };
  test('needs no trajectories, and has no score though it is whole and its suite publishes scores', () => {
    const instances = run(377, 123).map((one) => ({ ...one, hasTrajectory: false }));
    expect(decideGate({ instances, policy })).toMatchObject({ status: 'SUCCEEDED', score: null, reasons: [] });
  });
  test('still needs a result for every verdict', () => {
    const instances = [...run(377, 122), instance('RESOLVED', { hasResult: false })];
    expect(decideGate({ instances, policy }).reasons.map(({ code }) => code)).toEqual(['results_missing']);
  });
});

test('over all runs: a score never stands where one rule is broken, and SUCCEEDED means that none is', () => {
  let scores = 0;
  fc.assert(
    fc.property(anyRun, ({ instances, missing, benchmark, ...stated }) => {
      const total = instances.length;
      const benchmarkSize = benchmark === 'none' ? null : benchmark === 'part' ? total + 7 : total;
      const policy: GatePolicy = {
        ...stated,
        gradeOnly: false,
        budgetReached: null,
        expectedInstances: total + missing,
        benchmarkSize,
      };
      const { status, score, reasons, counts } = decideGate({ instances, policy });
      const states = instances.map(({ state }) => state);
      const scorable = instances.filter(({ state }) => state === 'RESOLVED' || state === 'UNRESOLVED');
      const failed = states.filter((state) => state === 'EXECUTION_ERROR' || state === 'INFRA_FAILED').length;
      // Design rule 5, said once more and differently.
      const holds =
        new Set(instances.map(({ id }) => id)).size === total + missing &&
        scorable.length + failed === total &&
        failed < policy.errorThreshold &&
        (policy.publish !== 'score' || failed < Math.max(1, Math.ceil(total / 50))) &&
        scorable.length > 0 &&
        scorable.every(
          ({ hasResult, hasTrajectory }) => (hasResult || policy.kind === 'infrastructure') && hasTrajectory,
        ) &&
        (policy.forgedMarker === 'ignore' ||
          !instances.some(({ state, suspicions }) => state === 'RESOLVED' && suspicions.length > 0));
      expect(status).toBe(holds ? 'SUCCEEDED' : 'QUARANTINED');
      expect(reasons.length === 0).toBe(holds);
      for (const reason of reasons) expect(QuarantineReason.parse(reason)).toEqual(reason);
      expect(counts.total).toBe(total);
      expect(score !== null).toBe(
        holds && policy.publish === 'score' && policy.kind === 'benchmark' && benchmark === 'whole',
      );
      if (score !== null) scores += 1;
    }),
    { numRuns: 3000 },
  );
  expect(scores).toBeGreaterThan(0);
});

test.each(['time', 'calls', 'tokens', 'cost'] as const)(
  'a run whose budget of %s ran out has no score, however few were touched by it',
  (budgetReached) => {
    const decision = decideGate({ instances: run(377, 118, 2, 3), policy: { ...verified, budgetReached } });
    expect(decision).toMatchObject({
      status: 'QUARANTINED',
      score: null,
      reasons: [
        {
          code: 'run_budget_reached',
          message: `The run's budget of ${budgetReached} was used up before every trial had its due.`,
        },
      ],
    });
  },
);
