import { chatReply, chatStream, message, messagesStream, response, responsesStream } from '../harness/replies';
import { failing, json, stream, type Answering } from '../harness/faulty-upstream';
import { CANARY_KEY, GatewayBench } from '../harness/gateway-bench';

let bench: GatewayBench;
beforeEach(async () => {
  bench = await GatewayBench.start(json(200, chatReply({ prompt: 100, completion: 20, cached: 60 })));
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
])('%s', (_name, path, answering, more) => {
  test('go to the same path of the provider and count to the token', async () => {
    bench.upstream.next.push(answering);
    const trial = await bench.open();
    const reply = await bench.chat(trial, { stream: true }, { path });
    expect(reply.status).toBe(200);
    expect(bench.upstream.seen.map(({ url }) => url)).toEqual([path.startsWith('/v1') ? path : `/v1${path}`]);
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
