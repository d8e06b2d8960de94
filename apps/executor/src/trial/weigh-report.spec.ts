import { type AgentReport, NO_MODEL, NO_USAGE } from '@assay/agents';
import { AgentError, InfraError } from '@assay/failures';
import type { GatewayUsage } from '@assay/model-gateway';
import { weighEnd as weigh, type WeighedReport } from './weigh-report';

const weighEnd = (end: Parameters<typeof weigh>[0], seen: GatewayUsage | null): WeighedReport =>
  weigh(end, seen, { callsAre: 'calls', runBudget: null });

const SEEN: GatewayUsage = {
  calls: 3,
  promptTokens: 30,
  completionTokens: 12,
  cachedTokens: 4,
  cacheWriteTokens: 0,
  costUsd: null,
  estimated: false,
  limit: null,
  completedExchanges: 3,
  lastExchange: 'completed',
  lastFailure: null,
  recordFailure: null,
  refused: 0,
  firstToken: null,
  models: ['m'],
};
const FAILURE = { blame: 'infra', code: 'x', message: 'upstream said 500', phase: 'agent', details: {} } as const;
const CRASH = new AgentError('exit 1', { code: 'agent_crashed', phase: 'agent' });
const report = (over: Partial<AgentReport> = {}): AgentReport => ({
  limit: null,
  usage: { ...NO_USAGE, calls: 1, promptTokens: 1 },
  model: { ...NO_MODEL, usesModel: true },
  steps: [],
  crash: null,
  ...over,
});

test('without a gateway the word of the agent stands', () => {
  const said = report({ crash: CRASH, limit: 'turns' });
  expect(weighEnd(said, null)).toEqual(said);
});

test("the gateway's bill and evidence replace the agent's", () => {
  expect(weighEnd(report(), SEEN)).toEqual({
    limit: null,
    usage: { calls: 3, promptTokens: 30, completionTokens: 12, cachedTokens: 4, costUsd: null, estimated: false },
    model: { usesModel: true, completedExchanges: 3, lastFailedUpstream: false },
    crash: null,
  });
});

test.each(['calls', 'tokens', 'cost', 'time'] as const)(
  'a bound of %s is the limit, and the crash after it is none',
  (kind) => {
    const weighed = weighEnd(report({ crash: CRASH }), { ...SEEN, limit: { kind, of: 'trial' } });
    expect(weighed).toMatchObject({ limit: kind, crash: null });
  },
);

test('a bound of calls is one of turns, for an agent whose turns are counted so', () => {
  const byTurns = { callsAre: 'turns', runBudget: null } as const;
  const seen: GatewayUsage = { ...SEEN, limit: { kind: 'calls', of: 'trial' } };
  expect(weigh(report({ crash: CRASH }), seen, byTurns)).toMatchObject({ limit: 'turns', crash: null });
  expect(weigh(report(), { ...SEEN, limit: { kind: 'cost', of: 'trial' } }, byTurns).limit).toBe('cost');
});

describe('where the budget of the run was used up while it ran', () => {
  const bounds = { callsAre: 'calls', runBudget: 'cost' } as const;

  test.each([
    ['says that its time was over', report({ limit: 'time' })],
    ['crashes', report({ crash: CRASH })],
    ['reports nothing', new InfraError('it did not stop', { code: 'agent_unstoppable', phase: 'agent' })],
  ])('an agent that %s when it is told to stop has reached that limit', (_name, end) => {
    expect(weigh(end, SEEN, bounds)).toMatchObject({ limit: 'cost', crash: null, usage: { calls: 3 } });
    expect(weigh(end, null, bounds)).toMatchObject({ limit: 'cost', crash: null });
  });

  test('one that was done, or had met a bound of its own, is what it was', () => {
    expect(weigh(report(), SEEN, bounds)).toMatchObject({ limit: null, crash: null });
    expect(weigh(report({ limit: 'turns' }), SEEN, bounds).limit).toBe('turns');
    expect(weigh(report({ crash: CRASH }), { ...SEEN, limit: { kind: 'tokens', of: 'trial' } }, bounds).limit).toBe(
      'tokens',
    );
  });
});

test('a crash is the agent s fault while the model answered, and ours after the model failed', () => {
  expect(weighEnd(report({ crash: CRASH }), SEEN).crash).toBe(CRASH);
  const failed = { ...SEEN, lastExchange: 'upstream_failure', lastFailure: FAILURE } as const;
  const weighed = weighEnd(report({ crash: CRASH }), failed);
  expect(weighed).toMatchObject({
    crash: {
      blame: 'infra',
      code: 'model_unavailable',
      message: expect.stringContaining('upstream said 500') as string,
    },
    model: { lastFailedUpstream: true },
  });
});

test('a client that went away says nothing of the model: its crash stays its own', () => {
  expect(weighEnd(report({ crash: CRASH }), { ...SEEN, lastExchange: 'client_abort' }).crash).toBe(CRASH);
});

test('our own fault stays ours, and a record with holes is one', () => {
  const ours = new InfraError('gone', { code: 'engine_unavailable', phase: 'agent' });
  expect(weighEnd(ours, { ...SEEN, lastExchange: 'upstream_failure' }).crash).toBe(ours);
  expect(weighEnd(ours, null)).toMatchObject({ crash: ours, usage: NO_USAGE });
  expect(weighEnd(report(), { ...SEEN, recordFailure: FAILURE }).crash).toMatchObject({
    blame: 'infra',
    code: 'record_incomplete',
  });
});
