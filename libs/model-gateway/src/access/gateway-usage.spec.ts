import { Failure, ModelEvidence, Usage } from '@assay/contracts';
import { NO_CHARGE } from './budget';
import { evidenceOf, UsageNotes, usageOf } from './gateway-usage';

const FAILURE: Failure = { blame: 'infra', code: 'model_unavailable', message: 'x', phase: 'agent', details: {} };
const spent = { calls: 2, tokens: { prompt: 5, completion: 3, cached: 2, cacheWrite: 1 }, cost: 1_500_000 };

test('a trial that asked nothing has cost nothing and seen nothing', () => {
  const usage = new UsageNotes().usage({ calls: 0, ...NO_CHARGE }, null, null);
  expect(usage).toMatchObject({ calls: 0, costUsd: 0, lastExchange: 'none', firstToken: null, models: [] });
  expect(evidenceOf(usage)).toEqual({ usesModel: true, completedExchanges: 0, lastFailedUpstream: false });
});

test('the exchange that ended last is the evidence, whatever was before', () => {
  const notes = new UsageNotes();
  const evidence = (): ModelEvidence => evidenceOf(notes.usage(spent, null, null));
  notes.ended('upstream_failure', FAILURE);
  expect(evidence()).toEqual({ usesModel: true, completedExchanges: 0, lastFailedUpstream: true });
  notes.ended('completed', null);
  expect(evidence()).toEqual({ usesModel: true, completedExchanges: 1, lastFailedUpstream: false });
  notes.ended('client_error', null);
  expect(evidence()).toEqual({ usesModel: true, completedExchanges: 1, lastFailedUpstream: false });
  expect(notes.usage(spent, null, null).lastFailure).toEqual(FAILURE);
});

test('bill and evidence fit the result of a trial', () => {
  const notes = new UsageNotes();
  notes.measured({ estimated: true, firstTokenMs: 10 });
  notes.measured({ estimated: false, firstTokenMs: 30 });
  notes.measured({ estimated: false, firstTokenMs: null });
  const usage = notes.usage(spent, { kind: 'calls', of: 'run' }, null);
  expect(usage.firstToken).toEqual({ samples: 2, meanMs: 20, maxMs: 30 });
  expect(Usage.parse(usageOf(usage))).toEqual({
    calls: 2,
    promptTokens: 5,
    completionTokens: 3,
    cachedTokens: 2,
    costUsd: 0.0000015,
    estimated: true,
  });
  expect(ModelEvidence.safeParse(evidenceOf(usage)).success).toBe(true);
});

test('names of models are kept once, and not without end', () => {
  const notes = new UsageNotes();
  for (let n = 0; n < 1000; n += 1) notes.asked(`m-${n % 500}`);
  notes.asked(null);
  expect(notes.usage(spent, null, null).models).toHaveLength(100);
});
