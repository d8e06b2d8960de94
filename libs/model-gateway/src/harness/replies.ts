/** Replies of providers in the words that they really use. */
const sse = (data: unknown): string => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;

interface Counts {
  readonly prompt: number;
  readonly completion: number;
  readonly cached?: number;
}

const chatUsage = ({ prompt, completion, cached = 0 }: Counts): object => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  prompt_tokens_details: { cached_tokens: cached },
});

export function chatReply(counts: Counts | null, content = 'Hello.'): object {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    model: 'm-1-2026',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    ...(counts === null ? {} : { usage: chatUsage(counts) }),
  };
}

/** The pieces of an OpenAI chat stream; no usage chunk where the client did not ask for one. */
export function chatStream(counts: Counts | null, words: readonly string[] = ['Hel', 'lo.']): string[] {
  const chunk = (more: object): object => ({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    model: 'm-1-2026',
    ...more,
  });
  return [
    sse(chunk({ choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] })),
    ...words.map((content) => sse(chunk({ choices: [{ index: 0, delta: { content }, finish_reason: null }] }))),
    sse(chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })),
    ...(counts === null ? [] : [sse(chunk({ choices: [], usage: chatUsage(counts) }))]),
    sse('[DONE]'),
  ];
}

export function response(counts: Counts): object {
  return {
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    model: 'm-1-2026',
    error: null,
    output: [{ type: 'message', content: [{ type: 'output_text', text: 'Hello.' }] }],
    usage: {
      input_tokens: counts.prompt,
      input_tokens_details: { cached_tokens: counts.cached ?? 0 },
      output_tokens: counts.completion,
    },
  };
}

export function responsesStream(counts: Counts): string[] {
  const event = (type: string, more: object): string => `event: ${type}\n${sse({ type, ...more })}`;
  return [
    event('response.created', {
      response: { id: 'resp_1', status: 'in_progress', model: 'm-1-2026', error: null, usage: null },
    }),
    event('response.output_text.delta', { delta: 'Hel' }),
    event('response.output_text.delta', { delta: 'lo.' }),
    event('response.completed', { response: response(counts) }),
  ];
}

/** One piece of Google's answer, or the whole. */
export function geminiReply(counts: Counts, parts: readonly object[] = [{ text: 'Hello.' }]): object {
  return {
    candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }],
    usageMetadata: geminiUsage(counts),
    modelVersion: 'm-1-2026',
    responseId: 'r-1',
  };
}

/** A sixth of the completion are thoughts, which are counted apart. */
function geminiUsage({ prompt, completion, cached = 0 }: Counts): object {
  const thoughts = Math.floor(completion / 6);
  return {
    promptTokenCount: prompt,
    ...(cached === 0 ? {} : { cachedContentTokenCount: cached }),
    ...(completion === thoughts ? {} : { candidatesTokenCount: completion - thoughts }),
    ...(thoughts === 0 ? {} : { thoughtsTokenCount: thoughts }),
    totalTokenCount: prompt + completion,
  };
}

/** The pieces of streamGenerateContent with alt=sse: usage with every piece, and no last word. */
export function geminiStream(counts: Counts, words: readonly string[] = ['Hel', 'lo.']): string[] {
  const piece = (text: string, usage: object): string =>
    sse({
      candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] } }],
      usageMetadata: usage,
      modelVersion: 'm-1-2026',
    });
  return [
    ...words.map((text) => piece(text, { promptTokenCount: counts.prompt, totalTokenCount: counts.prompt })),
    sse(geminiReply(counts, [{ text: '' }])),
  ];
}

interface MessageCounts {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

const messageUsage = ({ input, cacheRead = 0, cacheWrite = 0 }: MessageCounts, output: number): object => ({
  input_tokens: input,
  cache_creation_input_tokens: cacheWrite,
  cache_read_input_tokens: cacheRead,
  output_tokens: output,
});

export function message(counts: MessageCounts): object {
  return {
    id: 'msg_1',
    type: 'message',
    model: 'm-1-2026',
    content: [{ type: 'text', text: 'Hello.' }],
    stop_reason: 'end_turn',
    usage: messageUsage(counts, counts.output),
  };
}

export function messagesStream(counts: MessageCounts): string[] {
  const event = (type: string, more: object): string => `event: ${type}\n${sse({ type, ...more })}`;
  return [
    event('message_start', {
      message: { id: 'msg_1', model: 'm-1-2026', content: [], usage: messageUsage(counts, 1) },
    }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    event('ping', {}),
    event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Hello.' } }),
    event('content_block_stop', { index: 0 }),
    event('message_delta', {
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: counts.output },
    }),
    event('message_stop', {}),
  ];
}
