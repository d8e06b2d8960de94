import { eventually } from '@assay/testing';
import { chatReply, chatStream } from '../harness/replies';
import { failing, hang, json } from '../harness/faulty-upstream';
import { GatewayBench } from '../harness/gateway-bench';
import type { GatewayHealth } from '../upstream/circuit-breaker';

let bench: GatewayBench;
let changes: GatewayHealth['state'][];
beforeEach(async () => {
  changes = [];
  bench = await GatewayBench.start(failing(503), {
    retries: { tries: 1, totalMs: 20_000, firstWaitMs: 0 },
    circuit: { failures: 3, openMs: 30_000 },
    onHealthChange: ({ state }) => changes.push(state),
  });
});
afterEach(() => bench.stop());

const working = json(200, chatReply({ prompt: 1, completion: 1 }));

/** Three failures over two trials. */
async function open(): Promise<Awaited<ReturnType<GatewayBench['open']>>[]> {
  const trials = [await bench.open(), await bench.open()];
  for (const trial of [...trials, ...trials].slice(0, 3)) expect((await bench.chat(trial)).status).toBe(503);
  return trials;
}

test('a provider that fails over trials opens the circuit, which says why and until when', async () => {
  expect(bench.gateway.health()).toEqual({ state: 'closed' });
  expect(bench.gateway.mayClaim()).toBe(true);
  const trials = await open();
  expect(bench.gateway.health()).toEqual({
    state: 'open',
    reason: 'the provider answered 503: it failed',
    until: new Date(bench.clock.now() + 30_000),
  });
  expect(changes).toEqual(['open']);
  expect(bench.gateway.mayClaim()).toBe(false);
  bench.clock.advance(30_000);
  // Half open: a trial that is here may probe, so nothing is claimed for it.
  expect(bench.gateway.mayClaim()).toBe(false);
  for (const trial of trials) await trial.close();
  expect(bench.gateway.mayClaim()).toBe(true);
  await bench.open();
  expect(bench.gateway.mayClaim()).toBe(false);
});

test('while it is open a call that could not wait for its end is answered at once, without the provider', async () => {
  const [trial] = await open();
  expect(await bench.chat(trial!)).toMatchObject({
    status: 503,
    headers: { 'retry-after': '30' },
    json: { error: { code: 'assay_upstream_unavailable' } },
  });
  expect(bench.upstream.seen).toHaveLength(3);
  expect(await trial!.close()).toMatchObject({
    lastExchange: 'upstream_failure',
    lastFailure: { code: 'model_unavailable', message: 'the provider is taken to be down' },
  });
});

test('a call that can wait does, and is the one probe; when it works the others follow', async () => {
  const [one, two] = await open();
  bench.clock.advance(15_000);
  bench.upstream.otherwise = working;
  let answer = (): void => undefined;
  bench.upstream.next.push(async (response, request) => {
    await new Promise<void>((go) => (answer = go));
    await working(response, request);
  });
  const calls = [bench.chat(one!), bench.chat(two!), bench.chat(two!)];
  await eventually(() => bench.clock.waits().filter((ms) => ms === 15_000).length === 3);
  bench.clock.advance(15_000);
  await eventually(() => bench.upstream.seen.length === 4);
  expect(bench.gateway.health().state).toBe('half_open');
  await eventually(() => bench.clock.waits().filter((ms) => ms === 1000).length === 2);
  answer();
  await eventually(() => changes.at(-1) === 'closed');
  bench.clock.advance(1000);
  for (const call of calls) expect((await call).status).toBe(200);
  expect(bench.gateway.health()).toEqual({ state: 'closed' });
});

test('a probe that fails opens it for twice as long', async () => {
  const [one] = await open();
  bench.clock.advance(30_000);
  expect(bench.gateway.health().state).toBe('half_open');
  expect((await bench.chat(one!)).status).toBe(503);
  expect(bench.gateway.health()).toMatchObject({ state: 'open', until: new Date(bench.clock.now() + 60_000) });
  expect(bench.upstream.seen).toHaveLength(4);
});

test('a probe that streams has closed the circuit with its first piece', async () => {
  const [one, two] = await open();
  bench.clock.advance(30_000);
  const [first = ''] = chatStream(null);
  bench.upstream.next.push((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(first);
  });
  const probe = await bench.stream(one!);
  await eventually(() => probe.received() === first);
  expect(bench.gateway.health().state).toBe('closed');
  bench.upstream.otherwise = working;
  expect((await bench.chat(two!)).status).toBe(200);
});

test('a probe whose trial ends leaves the probing to the next', async () => {
  const [one, two] = await open();
  bench.clock.advance(30_000);
  bench.upstream.next.push(hang);
  const gone = expect(bench.chat(one!)).rejects.toThrow();
  await eventually(() => bench.upstream.seen.length === 4);
  await one!.close();
  await gone;
  bench.upstream.otherwise = working;
  expect((await bench.chat(two!)).status).toBe(200);
  expect(bench.gateway.health().state).toBe('closed');
});

test('one trial whose prompt makes the provider fail does not stop the others', async () => {
  const [poison, other] = [await bench.open(), await bench.open()];
  for (let n = 0; n < 10; n += 1) await bench.chat(poison);
  bench.upstream.otherwise = working;
  expect((await bench.chat(other)).status).toBe(200);
  expect(changes).toEqual([]);
});
