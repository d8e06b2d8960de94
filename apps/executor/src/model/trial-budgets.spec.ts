import { budgetsOf } from './trial-budgets';

const NONE = { calls: null, turns: null, tokens: null, costUsd: null };

test('calls, tokens and money are held at the gateway; the turns of an agent that counts them itself are not', () => {
  expect(budgetsOf({}, { ...NONE, calls: 9, turns: 3, tokens: 700, costUsd: 2.5 })).toEqual({
    limits: { calls: 9, tokens: 700, costUsd: 2.5, wallSeconds: null },
    callsAre: 'calls',
  });
  expect(budgetsOf({}, { ...NONE, turns: 3 }).limits.calls).toBeNull();
});

test.each<[number | null, number | null, number | null, string]>([
  [null, 3, 3, 'turns'],
  [9, 3, 3, 'turns'],
  [3, 3, 3, 'calls'],
  [3, 9, 3, 'calls'],
  [3, null, 3, 'calls'],
  [null, null, null, 'calls'],
])('%s calls and %s turns are %s calls of an agent that counts none, and they are %s', (calls, turns, bound, are) => {
  const budgets = budgetsOf({ turnsByCalls: true }, { ...NONE, calls, turns });
  expect([budgets.limits.calls, budgets.callsAre]).toEqual([bound, are]);
});
