import { randomBytes } from 'node:crypto';
import { pieces, sendEvent, sendJson, startStream, textOf } from '../http.mjs';

const KINDS = { 401: 'authentication_error', 404: 'not_found_error', 429: 'rate_limit_error', 529: 'overloaded_error' };

/** Anthropic messages: what claude-code speaks. */
export const messages = {
  name: 'messages',
  serves: (method, path) => method === 'POST' && path === '/messages',

  read(body) {
    if (!Array.isArray(body?.messages)) throw new Error('messages: Field required');
    return {
      model: body.model ?? null,
      stream: body.stream === true,
      conversation: body.messages,
      items: [
        { byModel: false, text: textOf(body.system) },
        ...body.messages.map((message) => ({ byModel: message?.role === 'assistant', text: textOf(message?.content) })),
      ],
      tools: (body.tools ?? []).map((tool) => tool?.name).filter(Boolean),
      wantsUsage: true,
    };
  },

  callId: () => `toolu_${randomBytes(12).toString('hex')}`,

  sendError(response, status, _code, message, { headers } = {}) {
    const type = KINDS[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
    sendJson(response, status, { type: 'error', error: { type, message } }, headers);
  },

  send(response, request, { content, calls, finish, usage }) {
    const reason = finish ?? (calls.length > 0 ? 'tool_use' : 'end_turn');
    const blocks = [
      ...(content === null || content === '' ? [] : [{ type: 'text', text: content }]),
      ...calls.map(({ id, name, arguments: text }) => ({ type: 'tool_use', id, name, input: JSON.parse(text) })),
    ];
    const tokens = usageOf(usage);
    if (!request.stream) {
      const whole = { ...head(request), content: blocks, stop_reason: reason, stop_sequence: null, usage: tokens };
      sendJson(response, 200, whole);
      return;
    }
    start(response, request, { ...tokens, output_tokens: 0 });
    blocks.forEach((block, index) => sendBlock(response, block, index));
    named(response, { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage: tokens });
    named(response, { type: 'message_stop' });
    response.end();
  },

  begin(response, request, text) {
    start(response, request, usageOf(null));
    named(response, { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
    named(response, { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } });
  },
};

function start(response, request, usage) {
  startStream(response);
  const message = { ...head(request), content: [], stop_reason: null, stop_sequence: null, usage };
  named(response, { type: 'message_start', message });
}

function sendBlock(response, block, index) {
  const isText = block.type === 'text';
  const empty = isText ? { type: 'text', text: '' } : { ...block, input: {} };
  named(response, { type: 'content_block_start', index, content_block: empty });
  for (const piece of pieces(isText ? block.text : JSON.stringify(block.input))) {
    const delta = isText ? { type: 'text_delta', text: piece } : { type: 'input_json_delta', partial_json: piece };
    named(response, { type: 'content_block_delta', index, delta });
  }
  named(response, { type: 'content_block_stop', index });
}

function named(response, event) {
  sendEvent(response, event, event.type);
}

function head({ model }) {
  return {
    id: `msg_${randomBytes(12).toString('hex')}`,
    type: 'message',
    role: 'assistant',
    model: String(model ?? 'standin'),
  };
}

/** Input tokens without those read from the cache: so Anthropic counts. */
function usageOf(usage) {
  const cached = usage?.prompt_tokens_details?.cached_tokens ?? 0;
  return {
    input_tokens: (usage?.prompt_tokens ?? 0) - cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
    output_tokens: usage?.completion_tokens ?? 0,
  };
}
