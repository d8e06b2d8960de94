import { randomBytes } from 'node:crypto';
import { pieces, sendEvent, sendJson, startStream, textOf } from '../http.mjs';

/** OpenAI chat completions: what qwen-code, opencode, mini-swe-agent and mini speak. */
export const chat = {
  name: 'chat',
  serves: (method, path) => method === 'POST' && path === '/chat/completions',

  read(body) {
    if (!Array.isArray(body?.messages)) throw new Error("Missing or malformed parameter: 'messages'.");
    return {
      model: body.model ?? null,
      stream: body.stream === true,
      conversation: body.messages,
      items: body.messages.map((message) => ({
        byModel: message?.role === 'assistant',
        text: textOf(message?.content),
      })),
      tools: (body.tools ?? []).map((tool) => tool?.function?.name).filter(Boolean),
      wantsUsage: body.stream !== true || body.stream_options?.include_usage === true,
    };
  },

  callId: () => `call_${randomBytes(8).toString('hex')}`,

  sendError(response, status, code, message, { type = 'invalid_request_error', headers } = {}) {
    sendJson(response, status, { error: { message, type, param: null, code } }, headers);
  },

  send(response, request, { content, calls, finish, usage }) {
    const reason = finish ?? (calls.length > 0 ? 'tool_calls' : 'stop');
    const toolCalls = calls.map(({ id, name, arguments: text }) => ({
      id,
      type: 'function',
      function: { name, arguments: text },
    }));
    if (request.stream) {
      streamed(response, request, { content, toolCalls, reason, usage });
      return;
    }
    const message = { role: 'assistant', content, refusal: null };
    const whole = calls.length > 0 ? { ...message, tool_calls: toolCalls } : message;
    sendJson(response, 200, {
      ...head('chat.completion', request),
      choices: [{ index: 0, message: whole, logprobs: null, finish_reason: reason }],
      ...(usage === null ? {} : { usage }),
    });
  },

  /** The beginning of a stream, as far as half of a text. */
  begin(response, request, text) {
    startStream(response);
    const first = head('chat.completion.chunk', request);
    sendEvent(response, { ...first, choices: [delta({ role: 'assistant', content: '' })] });
    sendEvent(response, { ...first, choices: [delta({ content: text })] });
  },
};

function streamed(response, request, { content, toolCalls, reason, usage }) {
  const { wantsUsage } = request;
  const first = head('chat.completion.chunk', request);
  const chunk = (choices) => sendEvent(response, { ...first, choices, ...(wantsUsage ? { usage: null } : {}) });
  startStream(response);
  chunk([delta({ role: 'assistant', content: content === null ? null : '', refusal: null })]);
  for (const piece of pieces(content ?? '')) chunk([delta({ content: piece })]);
  toolCalls.forEach((call, index) => {
    const { name, arguments: text } = call.function;
    chunk([delta({ tool_calls: [{ index, ...call, function: { name, arguments: '' } }] })]);
    for (const piece of pieces(text)) chunk([delta({ tool_calls: [{ index, function: { arguments: piece } }] })]);
  });
  chunk([delta({}, reason)]);
  if (wantsUsage && usage !== null) sendEvent(response, { ...first, choices: [], usage });
  response.end('data: [DONE]\n\n');
}

function head(object, { model }) {
  return {
    id: `chatcmpl-${randomBytes(12).toString('hex')}`,
    object,
    created: Math.floor(Date.now() / 1000),
    model: String(model ?? 'standin'),
    system_fingerprint: null,
  };
}

function delta(change, finish = null) {
  return { index: 0, delta: change, logprobs: null, finish_reason: finish };
}
