import { type InstanceId } from '@assay/contracts';
import fc from 'fast-check';
import { chooseAgent } from './choose-agent';
import { chooseInstances } from './choose-instances';

const ids = (count: number) =>
  Array.from({ length: count }, (_, at) => `i-${String(at).padStart(4, '0')}` as InstanceId);

const SUITE = { title: 'SWE-bench Verified', benchmarkSize: null };

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
  const suite = { title: 'SWE-bench Verified', benchmarkSize: 500 };
  let thrown: unknown;
  try {
    chooseInstances(ids(300), request, suite);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toMatchObject({ code, message, blame: 'task' });
});

test('without limit and id all are chosen', () => {
  expect(chooseInstances(ids(3), {}, SUITE)).toEqual(ids(3));
});

describe('the agent', () => {
  const known = [{ name: 'mini', version: '2', integrity: 'sha512-x' }];
  const suite = (version?: string) => ({
    agent: { name: 'mini', options: { a: 1 }, ...(version === undefined ? {} : { version }) },
  });

  test('has the version and integrity that the build has', () => {
    expect(chooseAgent(suite(), undefined, known)).toEqual({
      name: 'mini',
      version: '2',
      integrity: 'sha512-x',
      options: { a: 1 },
    });
    expect(chooseAgent(suite('2'), 'mini', known).options).toEqual({ a: 1 });
  });

  test('is refused where the suite wants another version', () => {
    expect(() => chooseAgent(suite('3'), undefined, known)).toThrow('The suite wants mini 3, this build has 2');
  });
});
