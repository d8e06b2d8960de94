import * as fc from 'fast-check';
import { BudgetAccount, NO_CHARGE, UNLIMITED, type BudgetLimits, type Charge } from './budget';

const account = (limits: Partial<BudgetLimits>): BudgetAccount => new BudgetAccount({ ...UNLIMITED, ...limits }, 1000);
const charge = (prompt: number, completion: number, cost: number | null): Charge => ({
  tokens: { prompt, completion, cached: 0, cacheWrite: 0 },
  cost,
});

test('without bounds nothing is ever reached', () => {
  const free = account({});
  free.call();
  free.charge(NO_CHARGE, charge(1e12, 1e12, 1e15));
  expect(free.reached(Number.MAX_SAFE_INTEGER)).toBeNull();
});

test('N calls are let through, one more is not', () => {
  const three = account({ calls: 3 });
  const let_through = [1, 2, 3, 4].map(() => {
    const reached = three.reached(1000);
    if (reached === null) three.call();
    return reached;
  });
  expect(let_through).toEqual([null, null, null, 'calls']);
  expect(three.spent().calls).toBe(3);
});

test.each([
  [99, null],
  [100, 'tokens'],
  [101, 'tokens'],
])('of 100 tokens, prompt and completion together, %s are spent: %s', (spent, reached) => {
  const tokens = account({ tokens: 100 });
  tokens.charge(NO_CHARGE, charge(spent - 40, 40, 0));
  expect(tokens.reached(1000)).toBe(reached);
});

test.each([
  [999_999_999_999, null],
  [1_000_000_000_000, 'cost'],
])('of one dollar %s millionths of a millionth are spent: %s', (cost, reached) => {
  const dollar = account({ costUsd: 1 });
  dollar.charge(NO_CHARGE, charge(1, 1, cost));
  expect(dollar.reached(1000)).toBe(reached);
});

test.each([
  [10_999, null],
  [11_000, 'time'],
])('ten seconds after it was opened at 1000 its time is over: at %s, %s', (now, reached) => {
  expect(account({ wallSeconds: 10 }).reached(now)).toBe(reached);
});

test('a charge that is corrected counts once', () => {
  const corrected = account({});
  const estimate = charge(10, 5, 100);
  const told = { tokens: { prompt: 8, completion: 7, cached: 3, cacheWrite: 1 }, cost: 90 };
  corrected.charge(NO_CHARGE, estimate);
  corrected.charge(estimate, told);
  expect(corrected.spent()).toEqual({ calls: 0, ...told });
});

test('one exchange of unknown price makes the sum unknown, for good', () => {
  const unknown = account({ costUsd: 1 });
  unknown.charge(NO_CHARGE, charge(1, 1, null));
  unknown.charge(NO_CHARGE, charge(1, 1, 5));
  expect(unknown.spent().cost).toBeNull();
  expect(unknown.reached(1000)).toBeNull();
});

test('what was spent before counts', () => {
  const before = { calls: 2, tokens: NO_CHARGE.tokens, cost: 0 };
  expect(new BudgetAccount({ ...UNLIMITED, calls: 2 }, 0, before).reached(0)).toBe('calls');
});

test('whatever is charged and corrected, the sum is that of the last charges', () => {
  const amount = fc.record({ prompt: fc.nat(), completion: fc.nat(), cost: fc.nat() });
  fc.assert(
    fc.property(fc.array(fc.array(amount, { minLength: 1, maxLength: 4 })), (exchanges) => {
      const sum = account({});
      for (const steps of exchanges) {
        let last = NO_CHARGE;
        for (const { prompt, completion, cost } of steps) {
          const next = charge(prompt, completion, cost);
          sum.charge(last, next);
          last = next;
        }
      }
      const finals = exchanges.map((steps) => steps.at(-1)!);
      expect(sum.spent().cost).toBe(finals.reduce((total, { cost }) => total + cost, 0));
      expect(sum.spent().tokens.prompt).toBe(finals.reduce((total, { prompt }) => total + prompt, 0));
    }),
  );
});
