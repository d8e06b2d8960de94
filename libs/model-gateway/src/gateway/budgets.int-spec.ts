import { eventually } from '@assay/testing';
import { BudgetAccount, UNLIMITED, type BudgetLimits } from '../access/budget';
import type { ReachedBudget } from '../access/trial-session';
import type { OpenTrial } from './gateway-options';
import { hang, json, stream } from '../harness/faulty-upstream';
import { GatewayBench } from '../harness/gateway-bench';
import { chatReply, chatStream } from '../harness/replies';

let bench: GatewayBench;
let reached: ReachedBudget[];
beforeEach(async () => {
  reached = [];
  // 100 tokens and (90 * 1 + 10 * 10) / 1e6 = 0.00019 USD each.
  bench = await GatewayBench.start(json(200, chatReply({ prompt: 90, completion: 10 })));
});
afterEach(() => bench.stop());

function open(limits: Partial<BudgetLimits>, run: BudgetAccount | null = null): Promise<OpenTrial & { key: string }> {
  return bench.open({ budgets: { ...UNLIMITED, ...limits }, run, onLimit: (met) => reached.push(met) });
}

describe.each<[string, Partial<BudgetLimits>, number, ReachedBudget['kind']]>([
  ['3 calls', { calls: 3 }, 3, 'calls'],
  ['300 tokens', { tokens: 300 }, 3, 'tokens'],
  ['301 tokens', { tokens: 301 }, 4, 'tokens'],
  ['299 tokens', { tokens: 299 }, 3, 'tokens'],
  ['the price of three calls', { costUsd: 0.00057 }, 3, 'cost'],
  ['a hair more', { costUsd: 0.000571 }, 4, 'cost'],
])('a budget of %s', (_name, limits, passing, kind) => {
  test(`lets ${passing} calls through, and not one more`, async () => {
    const trial = await open(limits);
    for (let n = 0; n < passing; n += 1) expect((await bench.chat(trial)).status).toBe(200);
    expect(trial.usage().limit).toBeNull();
    expect(reached).toEqual([]);
    for (let n = 0; n < 3; n += 1) {
      expect(await bench.chat(trial)).toMatchObject({
        status: 403,
        headers: { 'x-should-retry': 'false' },
        json: { error: { type: 'permission_error', code: `assay_limit_${kind}` } },
      });
    }
    expect(reached).toEqual([{ kind, of: 'trial' }]);
    expect(bench.upstream.seen).toHaveLength(passing);
    expect(await trial.close()).toMatchObject({
      calls: passing,
      limit: { kind, of: 'trial' },
      refused: 3,
      completedExchanges: passing,
      lastExchange: 'completed',
    });
  });
});

test('an agent that ends by itself at the edge has met no bound', async () => {
  const trial = await open({ calls: 1 });
  await bench.chat(trial);
  expect((await trial.close()).limit).toBeNull();
});

test('whoever asks again as soon as the usage chunk is there meets the bound, before the stream has ended', async () => {
  let end = (): void => undefined;
  bench.upstream.next.push(async (response) => {
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .write(chatStream({ prompt: 90, completion: 10 }).join(''));
    await new Promise<void>((go) => (end = go));
    response.end();
  });
  const trial = await open({ tokens: 100 });
  const first = await bench.stream(trial);
  await eventually(() => first.received().includes('[DONE]'));
  expect((await bench.chat(trial)).status).toBe(403);
  end();
  await eventually(() => first.end() === 'whole');
});

test('an estimate counts too', async () => {
  bench.upstream.next.push(stream(chatStream(null, ['x'.repeat(400)])));
  const trial = await open({ tokens: 100 });
  await bench.chat(trial, { stream: true });
  expect((await bench.chat(trial)).status).toBe(403);
});

test('calls that run at the same time are counted when they begin', async () => {
  bench.upstream.otherwise = hang;
  const trial = await open({ calls: 2 });
  const hanging = [bench.chat(trial), bench.chat(trial)].map((reply) => expect(reply).rejects.toThrow());
  await eventually(() => bench.upstream.seen.length === 2);
  expect((await bench.chat(trial)).status).toBe(403);
  await trial.close();
  await Promise.all(hanging);
});

test('time runs out by itself, also while an agent waits for a reply', async () => {
  bench.upstream.next.push(hang);
  const trial = await open({ wallSeconds: 60 });
  const hanging = expect(bench.chat(trial)).rejects.toThrow();
  await eventually(() => bench.upstream.seen.length === 1);
  bench.clock.advance(59_999);
  expect(reached).toEqual([]);
  bench.clock.advance(1);
  expect(reached).toEqual([{ kind: 'time', of: 'trial' }]);
  expect(await bench.chat(trial)).toMatchObject({ status: 403, json: { error: { code: 'assay_limit_time' } } });
  expect(await trial.close()).toMatchObject({ limit: { kind: 'time', of: 'trial' } });
  await hanging;
});

test('a trial that ended in time is not told later', async () => {
  const trial = await open({ wallSeconds: 60 });
  await trial.close();
  bench.clock.advance(120_000);
  expect(reached).toEqual([]);
  expect(trial.usage().limit).toBeNull();
});

test('the trials of a run share its account, and each is marked', async () => {
  const run = new BudgetAccount({ ...UNLIMITED, calls: 3 }, bench.clock.now());
  const [one, two] = [await open({}, run), await open({}, run)];
  const other = await open({});
  await bench.chat(one);
  await bench.chat(two);
  await bench.chat(one);
  expect((await bench.chat(two)).json).toMatchObject({ error: { code: 'assay_limit_calls' } });
  expect((await bench.chat(one)).status).toBe(403);
  expect((await bench.chat(other)).status).toBe(200);
  expect(await one.close()).toMatchObject({ calls: 2, limit: { kind: 'calls', of: 'run' } });
  expect(await two.close()).toMatchObject({ calls: 1, limit: { kind: 'calls', of: 'run' } });
  expect(run.spent()).toMatchObject({ calls: 3, tokens: { prompt: 270, completion: 30 } });
});

test('the error has the words of the protocol that is spoken', async () => {
  const trial = await open({ calls: 1 });
  await bench.chat(trial);
  expect((await bench.chat(trial, {}, { path: '/v1/messages' })).json).toEqual({
    type: 'error',
    error: {
      type: 'permission_error',
      code: 'assay_limit_calls',
      message: "the trial's number of model calls is used up; further calls are refused",
    },
  });
});

describe('money', () => {
  test('without a price is unknown, not nothing', async () => {
    const trial = await open({});
    await bench.chat(trial);
    expect(trial.usage().costUsd).toBeCloseTo(0.00019, 12);
    await bench.chat(trial, { model: 'unheard-of' });
    // The model that answered, m-1-2026, has a price.
    expect(trial.usage().costUsd).toBeCloseTo(0.00038, 12);
    bench.upstream.next.push(json(200, { ...chatReply({ prompt: 1, completion: 1 }), model: 'unheard-of' }));
    await bench.chat(trial, { model: 'unheard-of' });
    expect(await trial.close()).toMatchObject({ calls: 3, costUsd: null, models: ['m-1', 'unheard-of'] });
  });

  test('with a bound is not spent on a model whose price is not known', async () => {
    const trial = await open({ costUsd: 1 });
    for (const model of ['unheard-of', undefined]) {
      expect(await bench.chat(trial, { model })).toMatchObject({
        status: 400,
        json: { error: { code: 'assay_model_unpriced' } },
      });
    }
    expect(bench.upstream.seen).toHaveLength(0);
    expect((await bench.chat(trial)).status).toBe(200);
  });

  test('with a bound needs prices', async () => {
    const free = await GatewayBench.start(hang, { prices: null });
    try {
      await expect(free.open({ budgets: { ...UNLIMITED, costUsd: 1 } })).rejects.toMatchObject({
        code: 'model_unpriced',
      });
    } finally {
      await free.stop();
    }
  });
});
