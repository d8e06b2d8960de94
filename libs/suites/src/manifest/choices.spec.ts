import { type InstanceId } from '@assay/contracts';
import fc from 'fast-check';
import { chooseAgent } from './choose-agent';
import { chooseInstances, type ChoosingSuite } from './choose-instances';

const ids = (count: number) =>
  Array.from({ length: count }, (_, at) => `i-${String(at).padStart(4, '0')}` as InstanceId);

const SUITE: ChoosingSuite = {
  title: 'SWE-bench Verified',
  dataset: { name: 'swe-bench/swe-bench-verified', revision: '2' },
  source: { kind: 'swebench', file: 'rows.jsonl' },
  benchmarkSize: null,
  defaultLimit: null,
  maxLimit: null,
};

test('a limit is a prefix of the sorted instances, and a larger one holds a smaller one', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 60 }), (count, limit) => {
      const all = ids(count);
      if (limit > count) {
        expect(() => chooseInstances(all, { limit }, SUITE)).toThrow(`Requested ${limit} instances, found ${count}`);
      } else {
        expect(chooseInstances(all, { limit }, SUITE)).toEqual(all.slice(0, limit));
      }
    }),
  );
});

test('an id with any limit but 1 is refused', () => {
  const all = ids(3);
  expect(() => chooseInstances(all, { instanceId: all[0], limit: 2 }, SUITE)).toThrow(
    '--instance-id requires --limit 1',
  );
});

// The texts of qwen-code's release pipeline, word by word.
test.each([
  [{ limit: 501 }, 'limit_invalid', 'INSTANCE_LIMIT must be between 1 and 500'],
  [{ limit: 0 }, 'limit_invalid', 'INSTANCE_LIMIT must be between 1 and 500'],
  [{ limit: 5, instanceId: 'i-0000' as InstanceId }, 'limit_invalid', '--instance-id requires --limit 1'],
  [{ instanceId: 'x__x-1' as InstanceId }, 'instance_unknown', 'Unknown SWE-bench Verified instance: x__x-1'],
  [{ limit: 400 }, 'limit_too_large', 'Requested 400 instances, found 300'],
])('of the benchmark, %j is refused with the words that its users know', (request, code, message) => {
  const suite = { ...SUITE, benchmarkSize: 500 };
  let thrown: unknown;
  try {
    chooseInstances(ids(300), request, suite);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toMatchObject({ code, message, blame: 'task' });
});

test.each([
  [{ limit: 2 }, 'limit_invalid', 'TERMINAL_BENCH_LIMIT must be 1 or 89'],
  [{ limit: 90 }, 'limit_invalid', 'TERMINAL_BENCH_LIMIT must be 1 or 89'],
  [
    { limit: 89, instanceId: 'i-0000' as InstanceId },
    'limit_invalid',
    'TERMINAL_BENCH_INSTANCE_ID requires TERMINAL_BENCH_LIMIT=1',
  ],
  [{ instanceId: 'x' as InstanceId }, 'instance_unknown', 'Unknown Terminal-Bench 2.0 task: x'],
])('of Terminal-Bench, %j is refused with the words that its users know', (request, code, message) => {
  const suite: ChoosingSuite = {
    ...SUITE,
    title: 'Release run',
    dataset: { name: 'terminal-bench', revision: '2.0', title: 'Terminal-Bench 2.0' },
    source: { kind: 'terminal-bench', file: 'tasks.tar.gz' },
    benchmarkSize: 89,
  };
  expect(() => chooseInstances(ids(89), request, suite)).toThrow(
    expect.objectContaining({ code, message, blame: 'task' }) as Error,
  );
  expect(chooseInstances(ids(89), { limit: 1 }, suite)).toEqual(ids(1));
  expect(chooseInstances(ids(89), { limit: 89 }, suite)).toHaveLength(89);
});

test('a small suite runs its own number where a submission says nothing, and no more than its bound', () => {
  const suite = { ...SUITE, benchmarkSize: 500, defaultLimit: 1, maxLimit: 5 };
  const all = ids(500);
  expect(chooseInstances(all, {}, suite)).toEqual(all.slice(0, 1));
  expect(chooseInstances(all, { limit: 5 }, suite)).toEqual(all.slice(0, 5));
  expect(chooseInstances(all, { limit: 1, instanceId: all[400] }, suite)).toEqual([all[400]]);
  expect(() => chooseInstances(all, { limit: 6 }, suite)).toThrow('INSTANCE_LIMIT must be between 1 and 5');
});

test.each([0, -1])('%d instances are not chosen from a suite of any size, and the range is told', (limit) => {
  expect(() => chooseInstances(ids(3), { limit }, { ...SUITE, benchmarkSize: null })).toThrow(
    'INSTANCE_LIMIT must be between 1 and 3',
  );
});

test('without limit and id all are chosen', () => {
  expect(chooseInstances(ids(3), {}, SUITE)).toEqual(ids(3));
});

describe('the agent', () => {
  const evaluated = { ref: 'v3.1.0', packageVersion: '3.1.0' };
  const known = [{ name: 'mini', version: '2', integrity: 'sha512-x' }];
  const suite = (version?: string) => ({
    kind: 'benchmark' as const,
    agent: { name: 'mini', options: { a: 1 }, ...(version === undefined ? {} : { version }) },
  });

  test('has the version and integrity that the build has', () => {
    expect(chooseAgent(suite(), undefined, known, evaluated)).toEqual({
      name: 'mini',
      version: '2',
      integrity: 'sha512-x',
      options: { a: 1 },
    });
    expect(chooseAgent(suite('2'), 'mini', known, evaluated).options).toEqual({ a: 1 });
  });

  test('is refused where the suite wants another version', () => {
    expect(() => chooseAgent(suite('3'), undefined, known, evaluated)).toThrow(
      'The suite wants mini 3, this build has 2',
    );
    expect(() => chooseAgent(suite('evaluated'), undefined, known, evaluated)).toThrow(
      'The suite wants mini evaluated',
    );
  });

  test('that has a package is taken in the evaluated version where the suite says so, and only there', () => {
    const packaged = [{ name: 'mini', version: '2', integrity: null, packaged: true }];
    const version = (wanted?: string) => chooseAgent(suite(wanted), undefined, packaged, evaluated).version;
    expect([version('evaluated'), version('9'), version()]).toEqual(['3.1.0', '9', '2']);
    const unnamed = { ref: 'main', packageVersion: null };
    expect(() => chooseAgent(suite('evaluated'), undefined, packaged, unnamed)).toThrow(
      'The suite measures mini in the evaluated version, and main names none: expected a ref such as v1.2.3',
    );
    expect(chooseAgent(suite('9'), undefined, packaged, unnamed).version).toBe('9');
  });

  test('of an infrastructure check is the probe, and the probe runs nowhere else', () => {
    const both = [...known, { name: 'probe', version: '1', integrity: null }];
    const infrastructure = { kind: 'infrastructure' as const, agent: { name: 'probe', options: {} } };
    expect(chooseAgent(infrastructure, undefined, both, evaluated).name).toBe('probe');
    expect(() => chooseAgent(infrastructure, 'mini', both, evaluated)).toThrow(
      expect.objectContaining({
        code: 'agent_unfit',
        message: 'a suite of the kind infrastructure runs probe, not mini',
      }) as Error,
    );
    expect(() => chooseAgent(suite(), 'probe', both, evaluated)).toThrow(
      'probe checks infrastructure: it runs in suites of the kind infrastructure only',
    );
  });
});
