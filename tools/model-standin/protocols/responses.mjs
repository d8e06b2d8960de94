import { randomBytes } from 'node:crypto';
import { pieces, sendEvent, sendJson, startStream, textOf } from '../http.mjs';

/** Items of a conversation that the model itself produced. */
const OF_THE_MODEL = new Set(['function_call', 'custom_tool_call', 'local_shell_call', 'reasoning']);

/** OpenAI responses: what codex speaks. */
export const responses = {
  name: 'responses',
  serves: (method, path) => method === 'POST' && path === '/responses',

  read(body) {
    const input = typeof body?.input === 'string' ? [{ role: 'user', content: body.input }] : body?.input;
    if (!Array.isArray(input)) throw new Error("Missing or malformed parameter: 'input'.");
    return {
      model: body.model ?? null,
      stream: body.stream === true,
      conversation: input,
      items: [
        { byModel: false, text: textOf(body.instructions) },
        // A reply is a run of items of the model, which what it is answered with separates.
        ...input
          .filter((item, at) => !(isOfTheModel(item) && isOfTheModel(input[at - 1])))
          .map((item) => ({ byModel: isOfTheModel(item), text: textOf(item?.content) })),
      ],
      tools: (body.tools ?? []).map((tool) => tool?.name ?? tool?.type).filter(Boolean),
      wantsUsage: true,
    };
  },

  callId: () => `call_${randomBytes(8).toString('hex')}`,

  sendError(response, status, code, message, { type = 'invalid_request_error', headers } = {}) {
    sendJson(response, status, { error: { message, type, param: null, code } }, headers);
  },

  send(response, request, { content, calls, usage }) {
    const items = [
      ...(content === null || content === '' ? [] : [messageItem(content)]),
      ...calls.map(({ id, name, arguments: text }) => ({
        type: 'function_call',
        id: `fc_${randomBytes(8).toString('hex')}`,
        call_id: id,
        name,
        arguments: text,
        status: 'completed',
      })),
    ];
    const whole = { ...head(request), status: 'completed', output: items, usage: usageOf(usage) };
    if (!request.stream) {
      sendJson(response, 200, whole);
      return;
    }
    startStream(response);
    const opened = { ...head(request), id: whole.id, status: 'in_progress', output: [], usage: null };
    named(response, { type: 'response.created', response: opened });
    items.forEach((item, at) => sendItem(response, item, at));
    named(response, { type: 'response.completed', response: whole });
    response.end();
  },

  begin(response, request, text) {
    startStream(response);
    named(response, { type: 'response.created', response: { ...head(request), status: 'in_progress', output: [] } });
    const item = messageItem('');
    named(response, { type: 'response.output_item.added', output_index: 0, item });
    const where = { item_id: item.id, output_index: 0, content_index: 0 };
    named(response, { type: 'response.output_text.delta', ...where, delta: text });
  },
};

function isOfTheModel(item) {
  return item?.role === 'assistant' || OF_THE_MODEL.has(item?.type);
}

function messageItem(text) {
  const id = `msg_${randomBytes(8).toString('hex')}`;
  const content = [{ type: 'output_text', text, annotations: [], logprobs: [] }];
  return { type: 'message', id, role: 'assistant', status: 'completed', content };
}

function sendItem(response, item, at) {
  const isMessage = item.type === 'message';
  const text = isMessage ? item.content[0].text : item.arguments;
  const opened = isMessage ? { ...item, status: 'in_progress', content: [] } : { ...item, arguments: '' };
  named(response, { type: 'response.output_item.added', output_index: at, item: opened });
  const where = { item_id: item.id, output_index: at, ...(isMessage ? { content_index: 0 } : {}) };
  const type = isMessage ? 'response.output_text.delta' : 'response.function_call_arguments.delta';
  for (const piece of pieces(text)) named(response, { type, ...where, delta: piece });
  named(response, { type: 'response.output_item.done', output_index: at, item });
}

function named(response, event) {
  sendEvent(response, event, event.type);
}

function head({ model }) {
  return {
    id: `resp_${randomBytes(12).toString('hex')}`,
    object: 'response',
    created_at: Math.floor(Date.now() / 1000),
    model: String(model ?? 'standin'),
    error: null,
  };
}

function usageOf(usage) {
  if (usage === null) return null;
  return {
    input_tokens: usage.prompt_tokens,
    input_tokens_details: { cached_tokens: usage.prompt_tokens_details?.cached_tokens ?? 0 },
    output_tokens: usage.completion_tokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: usage.total_tokens,
  };
}
