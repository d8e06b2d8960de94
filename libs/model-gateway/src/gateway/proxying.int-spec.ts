import {
  chatReply,
  chatStream,
  geminiReply,
  geminiStream,
  message,
  messagesStream,
  response,
  responsesStream,
} from '../harness/replies';
import { failing, json, stream, type Answering } from '../harness/faulty-upstream';
import { CANARY_KEY, GatewayBench } from '../harness/gateway-bench';
import { eventually } from '@assay/testing';
import * as fc from 'fast-check';
import { gzipSync } from 'node:zlib';

let bench: GatewayBench;
beforeEach(async () => {
  // Streams that are no whole replies are failures, and none of these tests is about their number.
  const circuit = { failures: 1_000_000 };
  bench = await GatewayBench.start(json(200, chatReply({ prompt: 100, completion: 20, cached: 60 })), { circuit });
});
afterEach(() => bench.stop());

const COUNTS = { prompt: 100, completion: 20, cached: 60 };
const MESSAGE_COUNTS = { input: 30, output: 20, cacheRead: 60, cacheWrite: 10 };

describe.each<[string, string, Answering, object]>([
  ['chat completions', '/v1/chat/completions', json(200, chatReply(COUNTS)), {}],
  ['chat completions, streamed', '/v1/chat/completions', stream(chatStream(COUNTS)), {}],
  ['chat completions without /v1', '/chat/completions', stream(chatStream(COUNTS)), {}],
  ['responses', '/v1/responses', json(200, response(COUNTS)), {}],
  ['responses, streamed', '/v1/responses', stream(responsesStream(COUNTS)), {}],
  ['messages', '/v1/messages', json(200, message(MESSAGE_COUNTS)), { cacheWriteTokens: 10, costUsd: 0.000246 }],
  ['messages, streamed', '/v1/messages?beta=true', stream(messagesStream(MESSAGE_COUNTS)), { cacheWriteTokens: 10 }],
  ['generateContent', '/v1beta/models/m-1:generateContent', json(200, geminiReply(COUNTS)), {}],
  ['generateContent, streamed', '/v1beta/models/m-1:streamGenerateContent?alt=sse', stream(geminiStream(COUNTS)), {}],
])('%s', (_name, path, answering, more) => {
  test('go to the same path of the provider and count to the token', async () => {
    bench.upstream.next.push(answering);
    const trial = await bench.open();
    const reply = await bench.ask(trial, {
      path,
      body: path.startsWith('/v1beta') ? {} : { model: 'm-1', stream: true },
    });
    expect(reply.status).toBe(200);
    expect(bench.upstream.seen.map(({ url }) => url)).toEqual([`/v1${path.replace(/^\/v1(beta)?/, '')}`]);
    expect(await trial.close()).toMatchObject({
      calls: 1,
      promptTokens: 100,
      completionTokens: 20,
      cachedTokens: 60,
      costUsd: expect.closeTo(0.000246, 10) as number,
      estimated: false,
      limit: null,
      completedExchanges: 1,
      lastExchange: 'completed',
      lastFailure: null,
      recordFailure: null,
      refused: 0,
      firstToken: { samples: 1, meanMs: 0, maxMs: 0 },
      models: ['m-1'],
      ...more,
    });
  });
});

test('the request goes out as it came, to the byte', async () => {
  const trial = await bench.open();
  const body = '{ "model" : "m-1",\t"messages":[ {"content":"h\u00e4\\u00e4 \u2028"} ] ,"x":1.0 }\n';
  await bench.ask(trial, { body });
  expect(bench.upstream.seen[0]?.body.toString()).toBe(body);
});

test('a stream comes back as it went out, byte for byte, whatever it holds and however it is cut', async () => {
  const trial = await bench.open();
  const piece = fc.oneof(
    fc.constantFrom('data: [DONE]\n\n', ': keep-alive\n\n', 'data: {"choices":[]}\r\n\r\n', '\uFEFF', '\r', '\n'),
    fc.string({ unit: 'binary' }),
    fc.uint8Array().map((bytes) => Buffer.from(bytes)),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (pieces) => {
      bench.upstream.next.push(stream(pieces));
      const reply = await bench.chat(trial, { stream: true });
      expect(reply.body).toEqual(Buffer.concat(pieces.map((part) => Buffer.from(part))));
    }),
    { numRuns: 100 },
  );
});

test('a piece goes on as soon as it is there, not when the next one comes', async () => {
  let release = (): void => undefined;
  bench.upstream.next.push(async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {"choices":[]}\n\n');
    await new Promise<void>((go) => (release = go));
    response.end('data: [DONE]\n\n');
  });
  const trial = await bench.open();
  const first = await bench.stream(trial);
  await eventually(() => first.received().includes('"choices"'), { what: 'the first piece' });
  expect(first.received()).toBe('data: {"choices":[]}\n\n');
  release();
  await eventually(() => first.end() === 'whole');
  expect(first.received()).toBe('data: {"choices":[]}\n\ndata: [DONE]\n\n');
});

test('a compressed reply stays as it is; identity was asked for', async () => {
  const zipped = gzipSync(JSON.stringify(chatReply({ prompt: 1, completion: 1 })));
  bench.upstream.next.push((response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(zipped);
  });
  const trial = await bench.open();
  const reply = await bench.chat(trial, {}, { headers: { 'accept-encoding': 'gzip, br' } });
  expect(reply.body).toEqual(zipped);
  expect(reply.headers['content-encoding']).toBe('gzip');
  expect(bench.upstream.seen[0]?.headers['accept-encoding']).toBe('identity');
  expect(await trial.close()).toMatchObject({ estimated: true, completedExchanges: 1 });
});

test('a chat stream without usage is passed on as it is, estimated and marked', async () => {
  const pieces = chatStream(null, ['12345678', '1234']);
  bench.upstream.next.push(stream(pieces));
  const trial = await bench.open();
  const body = JSON.stringify({ model: 'm-1', stream: true, messages: [] });
  const reply = await bench.ask(trial, { body });
  expect(reply.body.toString()).toBe(pieces.join(''));
  expect(bench.upstream.seen[0]?.body.toString()).toBe(body);
  expect(await trial.close()).toMatchObject({
    promptTokens: Math.ceil(body.length / 4),
    completionTokens: 3,
    estimated: true,
    completedExchanges: 1,
  });
});

test('a stream of generateContent comes back byte for byte, and is whole although it has no last word', async () => {
  const pieces = geminiStream({ prompt: 3, completion: 12, cached: 1 });
  bench.upstream.next.push(stream(pieces));
  const trial = await bench.open();
  const body = '{"contents":[{"role":"user","parts":[{"text":"h\\u00e4"}]}] }';
  const headers = { authorization: '', 'x-goog-api-key': trial.token };
  const reply = await bench.raw({ path: '/v1beta/models/m-1:streamGenerateContent?alt=sse', headers, body });
  expect(reply.body.toString()).toBe(pieces.join(''));
  const [seen] = bench.upstream.seen;
  expect(seen?.body.toString()).toBe(body);
  expect(seen?.headers).toMatchObject({ 'x-goog-api-key': CANARY_KEY });
  expect(seen?.headers).not.toHaveProperty('authorization');
  expect(await trial.close()).toMatchObject({ lastExchange: 'completed', completionTokens: 12, estimated: false });
  expect(await bench.record(trial.key)).toMatchObject([
    { request: { protocol: 'gemini', model: 'm-1', body }, response: { end: 'completed', body: pieces.join('') } },
  ]);
});

test('a stream of generateContent that ends before it is finished is the failure of the provider', async () => {
  bench.upstream.next.push(stream(geminiStream({ prompt: 3, completion: 12 }).slice(0, 2)));
  const trial = await bench.open();
  await bench.ask(trial, { path: '/v1beta/models/m-1:streamGenerateContent?alt=sse', body: {} });
  expect(await trial.close()).toMatchObject({ completedExchanges: 0, lastExchange: 'upstream_failure' });
});

test('where the path names the model, the body may not name another', async () => {
  const trial = await bench.open();
  const path = '/v1beta/models/m-1:generateContent';
  expect(await bench.ask(trial, { path, body: { model: 'models/m-2' } })).toMatchObject({
    status: 400,
    json: { error: { code: 400, status: 'INVALID_ARGUMENT', message: 'the request names its model twice' } },
  });
  expect(bench.upstream.seen).toHaveLength(0);
});

test('the list of models comes back, counts for nothing and is no exchange', async () => {
  const trial = await bench.open();
  bench.upstream.next.push(json(200, { object: 'list', data: [{ id: 'm-1' }] }));
  const reply = await bench.ask(trial, { method: 'GET', path: '/v1/models' });
  expect(reply.json).toEqual({ object: 'list', data: [{ id: 'm-1' }] });
  bench.upstream.next.push(failing(500));
  expect((await bench.ask(trial, { method: 'GET', path: '/models' })).status).toBe(503);
  expect(await trial.close()).toMatchObject({ calls: 0, completedExchanges: 0, lastExchange: 'none' });
  expect(await bench.record(trial.key)).toEqual([]);
});

test('exchanges are recorded as they were, with their times', async () => {
  const pieces = chatStream({ prompt: 3, completion: 2 });
  bench.upstream.next.push(stream(pieces, { 'x-request-id': 'req-1' }));
  const trial = await bench.open();
  await bench.chat(trial, { stream: true }, { headers: { 'user-agent': 'agent/1' } });
  await trial.close();
  expect(await bench.record(trial.key)).toEqual([
    {
      kind: 'exchange',
      request: {
        type: 'request',
        id: 1,
        at: '2026-11-29T00:00:00.000Z',
        protocol: 'chat',
        path: '/chat/completions',
        model: 'm-1',
        headers: { 'content-type': 'application/json', 'user-agent': 'agent/1' },
        bytes: bench.upstream.seen[0]?.body.length,
        encoding: 'utf8',
        truncated: false,
        body: bench.upstream.seen[0]?.body.toString(),
      },
      response: {
        type: 'response',
        id: 1,
        at: '2026-11-29T00:00:00.000Z',
        end: 'completed',
        status: 200,
        headers: { 'content-type': 'text/event-stream', 'x-request-id': 'req-1' },
        reason: null,
        tries: [{ status: 200, reason: null, atMs: 0 }],
        firstTokenMs: 0,
        durationMs: 0,
        tokens: { prompt: 3, completion: 2, cached: 0, cacheWrite: 0 },
        estimated: false,
        costUsd: 0.000023,
        bytes: pieces.join('').length,
        encoding: 'utf8',
        truncated: false,
        body: pieces.join(''),
      },
    },
  ]);
});

test('the time to the first token is that of the first piece that carries one', async () => {
  const go: (() => void)[] = [];
  const step = (): Promise<void> => new Promise((resolve) => go.push(resolve));
  const [role = '', ...rest] = chatStream({ prompt: 3, completion: 2 });
  bench.upstream.next.push(async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(role);
    await step();
    for (const piece of rest) response.write(piece);
    response.end();
  });
  const trial = await bench.open();
  const { received, end } = await bench.stream(trial);
  await eventually(() => received().length > 0);
  bench.clock.advance(700);
  go.shift()?.();
  await eventually(() => end() === 'whole');
  expect((await trial.close()).firstToken).toEqual({ samples: 1, meanMs: 700, maxMs: 700 });
});
