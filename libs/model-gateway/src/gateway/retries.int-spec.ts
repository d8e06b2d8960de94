import { eventually } from '@assay/testing';
import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { cutStream, failing, hang, hangUp, json, stream } from '../harness/faulty-upstream';
import { GatewayBench } from '../harness/gateway-bench';
import { chatReply, chatStream, messagesStream, responsesStream } from '../harness/replies';

let bench: GatewayBench;
beforeEach(async () => {
  bench = await GatewayBench.start(json(200, chatReply({ prompt: 10, completion: 5 })), {
    retries: { tries: 3, firstWaitMs: 1000, totalMs: 60_000 },
  });
});
afterEach(() => bench.stop());

test.each([
  ['429 with seconds', failing(429, { 'retry-after': '7' }), 7000],
  ['429 with a date', failing(429, { 'retry-after': 'Sun, 29 Nov 2026 00:00:09 GMT' }), 9000],
  ['429 that asks for nothing', failing(429), 500],
  ['429 with seconds in its body', json(429, { error: { code: 429, details: [{ retryDelay: '5s' }] } }), 5000],
  ['500', failing(500), 500],
  ['503 with seconds', failing(503, { 'retry-after': '2' }), 2000],
  ['529', failing(529), 500],
  ['a connection that is cut before the answer', hangUp, 500],
  ['a stream that is cut before its first byte', cutStream([]), 500],
])('%s is tried again after the wait, and the client sees the success alone', async (_name, fault, wait) => {
  bench.upstream.next.push(fault);
  const trial = await bench.open();
  const reply = bench.chat(trial);
  expect(await bench.clock.passWait(400, 19_000)).toBe(wait);
  expect((await reply).json).toEqual(chatReply({ prompt: 10, completion: 5 }));
  expect(bench.upstream.seen).toHaveLength(2);
  expect(bench.upstream.seen[1]?.body).toEqual(bench.upstream.seen[0]?.body);
  expect(await trial.close()).toMatchObject({
    calls: 1,
    promptTokens: 10,
    completedExchanges: 1,
    lastExchange: 'completed',
    lastFailure: null,
  });
  expect(await bench.record(trial.key)).toMatchObject([
    { response: { end: 'completed', tries: [{ atMs: 0 }, { status: 200, reason: null, atMs: wait }] } },
  ]);
});

test('a provider that stays busy is asked as often as the policy says, then its own answer goes to the client', async () => {
  bench.upstream.otherwise = failing(429, { 'retry-after': '3', 'x-request-id': 'r' });
  const trial = await bench.open();
  const reply = bench.chat(trial);
  for (const wait of [3000, 3000]) expect(await bench.clock.passWait(400, 19_000)).toBe(wait);
  expect(await reply).toMatchObject({
    status: 429,
    headers: { 'retry-after': '3', 'x-request-id': 'r' },
    json: { error: { message: 'scripted 429', type: 'scripted' } },
  });
  expect(bench.upstream.seen).toHaveLength(3);
  expect(await trial.close()).toMatchObject({
    calls: 1,
    promptTokens: 0,
    costUsd: 0,
    completedExchanges: 0,
    lastExchange: 'upstream_failure',
    lastFailure: { blame: 'infra', code: 'model_unavailable', message: 'the provider answered 429: too many requests' },
  });
});

test('a wait that goes beyond the bound is not begun', async () => {
  bench.upstream.next.push(failing(503, { 'retry-after': '61' }));
  const trial = await bench.open();
  expect(await bench.chat(trial)).toMatchObject({ status: 503, headers: { 'retry-after': '61' } });
  expect(bench.upstream.seen).toHaveLength(1);
});

test('a provider that cannot be reached is our fault, and the client hears so', async () => {
  bench.upstream.otherwise = hangUp;
  const trial = await bench.open();
  const reply = bench.chat(trial);
  await bench.clock.passWait(400, 19_000);
  await bench.clock.passWait(400, 19_000);
  expect(await reply).toMatchObject({ status: 503, json: { error: { code: 'assay_upstream_unavailable' } } });
  const usage = await trial.close();
  expect(usage).toMatchObject({ lastExchange: 'upstream_failure', lastFailure: { code: 'model_unavailable' } });
  expect(usage.lastFailure?.message).toBe('the connection to the provider failed (ECONNRESET)');
});

test('a provider that hangs is given up after the silence that is allowed, and asked again', async () => {
  bench.upstream.next.push(hang);
  const trial = await bench.open();
  const reply = bench.chat(trial);
  await eventually(() => bench.upstream.seen.length === 1);
  bench.clock.advance(599_999);
  expect(bench.upstream.seen).toHaveLength(1);
  bench.clock.advance(1);
  // The bound of the whole exchange is over by now.
  expect((await reply).status).toBe(503);
  expect((await trial.close()).lastFailure?.message).toBe('the provider did not answer in time');
});

test.each([401, 403])(
  '%s is our configuration: not tried again, not repeated to the client, our fault',
  async (status) => {
    bench.upstream.next.push(json(status, { error: { message: 'Incorrect API key provided: sk-can***' } }));
    const trial = await bench.open();
    const reply = await bench.chat(trial);
    expect(reply).toMatchObject({ status, json: { error: { code: 'assay_upstream_refused' } } });
    expect(reply.body.toString()).not.toContain('sk-can');
    expect(bench.upstream.seen).toHaveLength(1);
    expect(await trial.close()).toMatchObject({
      lastExchange: 'upstream_failure',
      lastFailure: { code: 'model_refused', message: `the provider answered ${status}: it refuses our key` },
    });
  },
);

test('a redirect is not followed', async () => {
  bench.upstream.next.push((response) => {
    response.writeHead(307, { location: 'http://elsewhere/' }).end();
  });
  const trial = await bench.open();
  const reply = await bench.chat(trial);
  expect(reply.status).toBe(503);
  expect(reply.headers['location']).toBeUndefined();
  expect(await trial.close()).toMatchObject({
    lastExchange: 'upstream_failure',
    lastFailure: { code: 'model_refused' },
  });
});

test.each([400, 404, 413, 422])('%s is the client’s own: passed on as it is, not tried again', async (status) => {
  bench.upstream.next.push(json(200, chatReply(null)), failing(status));
  const trial = await bench.open();
  await bench.chat(trial);
  expect(await bench.chat(trial)).toMatchObject({ status, json: { error: { message: `scripted ${status}` } } });
  expect(await trial.close()).toMatchObject({
    calls: 2,
    completedExchanges: 1,
    lastExchange: 'client_error',
    lastFailure: null,
  });
});

describe('a stream that breaks after its first byte', () => {
  test('is not tried again; the client sees the cut; what was generated is charged', async () => {
    const pieces = chatStream(null, ['12345678']).slice(0, 2);
    bench.upstream.next.push(cutStream(pieces));
    const trial = await bench.open();
    const open = await bench.stream(trial);
    await eventually(() => open.end() === 'cut');
    expect(open.received()).toBe(pieces.join(''));
    expect(bench.upstream.seen).toHaveLength(1);
    expect(await trial.close()).toMatchObject({
      completedExchanges: 0,
      lastExchange: 'upstream_failure',
      completionTokens: 2,
      estimated: true,
      lastFailure: { code: 'model_unavailable' },
    });
  });

  test('but after its last word is complete', async () => {
    bench.upstream.next.push(cutStream(chatStream({ prompt: 10, completion: 5 })));
    const trial = await bench.open();
    const open = await bench.stream(trial);
    await eventually(() => open.end() !== null);
    expect(await trial.close()).toMatchObject({ completedExchanges: 1, lastExchange: 'completed', promptTokens: 10 });
  });

  test('or falls silent is cut after the silence that is allowed', async () => {
    const [first = ''] = chatStream(null);
    bench.upstream.next.push((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(first);
    });
    const trial = await bench.open();
    const open = await bench.stream(trial);
    await eventually(() => open.received() === first);
    bench.clock.advance(600_000);
    await eventually(() => open.end() === 'cut');
    const { lastFailure, lastExchange } = await trial.close();
    expect(lastExchange).toBe('upstream_failure');
    expect(lastFailure?.message).toBe('the provider fell silent in the middle of its answer');
  });

  test('a slow drip is no silence', async () => {
    const pieces = chatStream({ prompt: 10, completion: 5 });
    let drip = (): void => undefined;
    bench.upstream.next.push(async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const piece of pieces) {
        response.write(piece);
        await new Promise<void>((next) => (drip = next));
      }
      response.end();
    });
    const trial = await bench.open();
    const open = await bench.stream(trial);
    for (let n = 1; n <= pieces.length; n += 1) {
      await eventually(() => open.received() === pieces.slice(0, n).join(''));
      bench.clock.advance(599_000);
      drip();
    }
    await eventually(() => open.end() === 'whole');
    expect(await trial.close()).toMatchObject({ completedExchanges: 1, completionTokens: 5 });
  });
});

test.each([
  ['chat', '/v1/chat/completions', chatStream(null).slice(0, 3)],
  ['responses', '/v1/responses', responsesStream({ prompt: 1, completion: 1 }).slice(0, 3)],
  ['messages', '/v1/messages', messagesStream({ input: 1, output: 1 }).slice(0, 4)],
])('a stream that ends without having been finished is the provider’s failure: %s', async (_name, path, pieces) => {
  bench.upstream.next.push(stream(pieces));
  const trial = await bench.open();
  expect((await bench.chat(trial, { stream: true }, { path })).body.toString()).toBe(pieces.join(''));
  expect(await trial.close()).toMatchObject({
    lastExchange: 'upstream_failure',
    lastFailure: { message: 'the reply of the provider ended before it was finished' },
  });
});

test('an error inside a stream is the provider’s failure, and its words are kept', async () => {
  bench.upstream.next.push(
    stream(['data: {"error":{"message":"overloaded","type":"server_error"}}\n\n', 'data: [DONE]\n\n']),
  );
  const trial = await bench.open();
  await bench.chat(trial, { stream: true });
  expect((await trial.close()).lastFailure?.message).toBe('the provider told of an error inside its reply: overloaded');
});

describe('a client that goes away', () => {
  test('while we wait to try again has not had its model: the provider’s failure', async () => {
    bench.upstream.next.push(failing(503));
    const trial = await bench.open();
    const waiting = expect(bench.chat(trial)).rejects.toThrow('hang up');
    await eventually(() => bench.clock.waits().includes(500));
    expect(await trial.close()).toMatchObject({
      lastExchange: 'upstream_failure',
      lastFailure: { code: 'model_unavailable', message: 'the provider answered 503: it failed' },
    });
    await waiting;
    expect(bench.upstream.seen).toHaveLength(1);
  });

  test('while the provider works is no failure of the provider', async () => {
    bench.upstream.next.push(hang);
    const trial = await bench.open();
    const waiting = expect(bench.chat(trial)).rejects.toThrow('hang up');
    await eventually(() => bench.upstream.seen.length === 1);
    expect(await trial.close()).toMatchObject({ lastExchange: 'client_abort', lastFailure: null });
    await waiting;
  });

  test('in the middle of a stream is no failure of the provider, whose connection ends too', async () => {
    const [first = ''] = chatStream(null);
    let gone = false;
    bench.upstream.next.push((response) => {
      response.once('close', () => (gone = true));
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(first);
    });
    const trial = await bench.open();
    const open = await bench.stream(trial);
    await eventually(() => open.received() === first);
    open.hangUp();
    await eventually(() => trial.usage().lastExchange === 'client_abort');
    await eventually(() => gone);
    expect((await trial.close()).lastFailure).toBeNull();
  });

  test('before its request is whole has asked nothing', async () => {
    const trial = await bench.open();
    const socket = connect(bench.socketPath);
    const head = `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${trial.token}`;
    socket.write(`${head}\r\nContent-Length: 1000\r\n\r\n{"model"`);
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.destroy();
    await bench.chat(trial);
    expect(await trial.close()).toMatchObject({ calls: 1, refused: 0, lastExchange: 'completed', lastFailure: null });
  });
});

test('a gateway without a disk says so, and it is our fault', async () => {
  const trial = await bench.open();
  await bench.chat(trial);
  await rm(join(bench.dir, 'spool'), { recursive: true });
  expect(await bench.chat(trial)).toMatchObject({ status: 503, json: { error: { code: 'assay_gateway_failure' } } });
  expect(await trial.close()).toMatchObject({
    completedExchanges: 1,
    lastExchange: 'upstream_failure',
    lastFailure: { blame: 'infra', code: 'file_missing' },
  });
});
