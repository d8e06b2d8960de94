import * as fc from 'fast-check';
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
import type { Protocol } from '../wire/routes';
import { tokensOf, type Reading } from './reading';
import { meterFor } from './response-meter';

const SSE = 'text/event-stream; charset=utf-8';
const JSON_TYPE = 'application/json';

function read(
  protocol: Protocol,
  type: string | null,
  text: string,
  cut = 11,
  encoding: string | null = null,
): Reading {
  const meter = meterFor(protocol, type, encoding);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += cut) meter.feed(bytes.subarray(at, at + cut));
  meter.end();
  return meter.reading;
}

const sse = (...events: unknown[]): string => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');

describe('counts', () => {
  const counts = { prompt: 100, completion: 20, cached: 60 };
  const messageCounts = { input: 30, output: 20, cacheRead: 60, cacheWrite: 10 };
  const cases: [string, Protocol, string, string, number][] = [
    ['chat', 'chat', JSON_TYPE, JSON.stringify(chatReply(counts)), 0],
    ['chat stream', 'chat', SSE, chatStream(counts).join(''), 0],
    ['responses', 'responses', JSON_TYPE, JSON.stringify(response(counts)), 0],
    ['responses stream', 'responses', SSE, responsesStream(counts).join(''), 0],
    ['generateContent', 'gemini', JSON_TYPE, JSON.stringify(geminiReply(counts)), 0],
    ['messages', 'messages', JSON_TYPE, JSON.stringify(message(messageCounts)), 10],
    ['messages stream', 'messages', SSE, messagesStream(messageCounts).join(''), 10],
  ];

  test.each(cases)(
    'of %s are the same wherever it is cut, and the prompt includes the cached',
    (_n, protocol, type, text, write) => {
      fc.assert(
        fc.property(fc.integer({ min: 1, max: 400 }), (cut) => {
          const reading = read(protocol, type, text, cut);
          expect(reading).toMatchObject({ model: 'm-1-2026', finished: true, lastWord: true, error: null });
          expect(tokensOf(reading, 1)).toEqual({
            tokens: { prompt: 100, completion: 20, cached: 60, cacheWrite: write },
            estimated: false,
          });
        }),
        { numRuns: 50 },
      );
    },
  );

  test('of a stream of generateContent are those of its last piece, thoughts included, and it has no last word', () => {
    const reading = read('gemini', SSE, geminiStream(counts).join(''));
    expect(reading).toMatchObject({ model: 'm-1-2026', finished: true, lastWord: false, error: null, generated: 6 });
    expect(tokensOf(reading, 1)).toEqual({
      tokens: { prompt: 100, completion: 20, cached: 60, cacheWrite: 0 },
      estimated: false,
    });
  });

  test.each<[string, object, object]>([
    ['zero of output is left out', { promptTokenCount: 10 }, { prompt: 10, completion: 0 }],
    ['tools of the provider', { promptTokenCount: 10, toolUsePromptTokenCount: 5 }, { prompt: 15, completion: 0 }],
    ['only thoughts', { promptTokenCount: 10, thoughtsTokenCount: 4 }, { prompt: 10, completion: 4 }],
    ['no counts', { promptTokenCount: '10' }, { prompt: null, completion: null }],
  ])('of generateContent: %s', (_name, usageMetadata, expected) => {
    const last = { candidates: [{ finishReason: 'STOP' }], usageMetadata };
    expect(read('gemini', SSE, sse(last))).toMatchObject(expected);
    expect(read('gemini', JSON_TYPE, JSON.stringify(last))).toMatchObject(expected);
  });

  test.each<[string, object, number]>([
    ['OpenAI', { prompt_tokens_details: { cached_tokens: 7 } }, 7],
    ['DeepSeek', { prompt_cache_hit_tokens: 7 }, 7],
    ['Moonshot', { cached_tokens: 7 }, 7],
    ['null details', { prompt_tokens_details: null }, 0],
  ])('of a cache in the words of %s', (_name, more, cached) => {
    const usage = { prompt_tokens: 10, completion_tokens: 1, ...more };
    expect(read('chat', SSE, sse({ choices: [], usage })).cached).toBe(cached);
  });

  test('that grow with every chunk are not added up', () => {
    const chunk = (n: number): object => ({ choices: [], usage: { prompt_tokens: 10, completion_tokens: n } });
    expect(read('chat', SSE, sse(chunk(1), chunk(2), chunk(3)))).toMatchObject({ prompt: 10, completion: 3 });
  });

  test.each([-1, 1.5, 'many', null, 1e300, {}])('that are no counts (%p) are none', (odd) => {
    const usage = { prompt_tokens: odd, completion_tokens: 4 };
    expect(read('chat', SSE, sse({ choices: [], usage }))).toMatchObject({ prompt: null, completion: 4 });
  });
});

describe('where the provider tells no usage', () => {
  test('a chat stream is estimated from the characters that were generated, tool calls and thoughts included', () => {
    const delta = (more: object): object => ({ choices: [{ delta: more, finish_reason: null }] });
    const call = { index: 0, function: { name: 'write_file', arguments: '{"a":1}' } };
    const text = sse(
      delta({ content: '12345678' }),
      delta({ reasoning_content: '1234' }),
      delta({ tool_calls: [call] }),
    );
    const reading = read('chat', SSE, text);
    expect(reading.generated).toBe(8 + 4 + 10 + 7);
    expect(tokensOf(reading, 401)).toEqual({
      tokens: { prompt: 101, completion: 8, cached: 0, cacheWrite: 0 },
      estimated: true,
    });
  });

  test('a messages stream that was cut keeps the count of its prompt and estimates the rest', () => {
    const [start = '', block = '', ping = '', delta = ''] = messagesStream({ input: 30, output: 99, cacheRead: 5 });
    const reading = read('messages', SSE, start + block + ping + delta);
    expect(tokensOf(reading, 1_000_000)).toEqual({
      tokens: { prompt: 35, completion: 2, cached: 5, cacheWrite: 0 },
      estimated: true,
    });
    expect(reading).toMatchObject({ finished: false, lastWord: false });
  });

  test('a stream of generateContent that was cut keeps the count of its prompt and estimates the rest', () => {
    const [start = ''] = geminiStream({ prompt: 30, completion: 99 }, ['12345678']);
    const call = { candidates: [{ content: { parts: [{ functionCall: { name: 'ls', args: { dir: '.' } } }] } }] };
    const reading = read('gemini', SSE, start + sse(call));
    expect(reading).toMatchObject({ finished: false, generated: 8 + 2 + 11 });
    expect(tokensOf(reading, 1_000_000)).toEqual({
      tokens: { prompt: 30, completion: 6, cached: 0, cacheWrite: 0 },
      estimated: true,
    });
  });

  test('a reply that is compressed although that was not asked for is passed over', () => {
    expect(read('chat', SSE, 'x'.repeat(40), 7, 'gzip')).toMatchObject({
      finished: true,
      lastWord: false,
      generated: 40,
    });
    expect(read('chat', SSE, chatStream(null).join(''), 7, 'identity').lastWord).toBe(true);
  });
});

describe('the end', () => {
  test.each<[string, Protocol, string, Partial<Reading>]>([
    [
      'chat without [DONE]',
      'chat',
      sse({ choices: [{ delta: {}, finish_reason: 'stop' }] }),
      { finished: true, lastWord: false },
    ],
    ['chat cut', 'chat', sse({ choices: [{ delta: { content: 'x' }, finish_reason: null }] }), { finished: false }],
    [
      'responses incomplete',
      'responses',
      sse({ type: 'response.incomplete', response: {} }),
      { finished: true, error: null },
    ],
    ['responses cut', 'responses', sse({ type: 'response.output_text.delta', delta: 'x' }), { finished: false }],
    ['nothing', 'chat', '', { finished: false, lastWord: false }],
    ['no JSON', 'chat', 'data: <html>\n\n', { finished: false }],
  ])('of %s', (_name, protocol, text, expected) => {
    expect(read(protocol, SSE, text)).toMatchObject(expected);
  });

  test.each(['', '{"model":"m"', '[]', '<html></html>'])(
    'of a reply that is no whole JSON object is an error: %s',
    (text) => {
      expect(read('chat', JSON_TYPE, text).error).toEqual({
        message: 'the reply is no whole JSON object',
        ofRequest: false,
      });
    },
  );

  test.each<[string, Protocol, object, string, boolean]>([
    ['OpenAI', 'chat', { error: { message: 'overloaded', type: 'server_error' } }, 'overloaded', false],
    ['OpenRouter', 'chat', { error: { message: 'too long', code: 400 }, choices: [] }, 'too long', true],
    ['a text', 'chat', { error: 'bad' }, 'bad', false],
    [
      'responses',
      'responses',
      { type: 'response.failed', response: { error: { code: 'server_error', message: 'boom' } } },
      'boom',
      false,
    ],
    [
      'responses, failed without words',
      'responses',
      { type: 'response.failed', response: {} },
      'the response failed',
      false,
    ],
    ['responses, error event', 'responses', { type: 'error', code: 'invalid_prompt', message: 'no' }, 'no', true],
    [
      'Anthropic',
      'messages',
      { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
      'Overloaded',
      false,
    ],
    [
      'Anthropic, too long',
      'messages',
      { type: 'error', error: { type: 'invalid_request_error', message: 'long' } },
      'long',
      true,
    ],
    ['Google', 'gemini', { error: { code: 503, message: 'busy', status: 'UNAVAILABLE' } }, 'busy', false],
    ['Google, the request', 'gemini', { error: { code: 400, message: 'too long' } }, 'too long', true],
    [
      'Google, a prompt',
      'gemini',
      { promptFeedback: { blockReason: 'SAFETY' } },
      'the prompt is blocked: SAFETY',
      true,
    ],
  ])('an error inside a stream is seen, and whose it is: %s', (_name, protocol, event, message, ofRequest) => {
    expect(read(protocol, SSE, sse(event)).error).toEqual({ message, ofRequest });
  });

  test('an error inside a whole reply is seen, a null one is none', () => {
    expect(read('responses', JSON_TYPE, '{"status":"failed","error":{"message":"x"}}').error?.message).toBe('x');
    expect(read('responses', JSON_TYPE, '{"status":"failed","error":null}').error?.message).toBe('the response failed');
    expect(read('chat', JSON_TYPE, '{"error":null,"model":"m"}').error).toBeNull();
  });
});

test('a reply larger than memory should hold is read by its fields alone', () => {
  const meter = meterFor('chat', JSON_TYPE, null);
  meter.feed(Buffer.from('{"choices":[{"message":{"content":"'));
  const piece = Buffer.alloc(1 << 20, 'x');
  for (let n = 0; n < 50; n += 1) meter.feed(piece);
  meter.feed(Buffer.from('"}}],"usage":{"prompt_tokens":1,"completion_tokens":2}}'));
  expect(meter.reading).toMatchObject({ prompt: 1, completion: 2, lastWord: true });
});
