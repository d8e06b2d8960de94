import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';

/** An error body as OpenAI's API has it. */
export function sendError(response, status, code, message, type = 'invalid_request_error') {
  sendJson(response, status, { error: { message, type, param: null, code } });
}

export function sendJson(response, status, body, headers = {}) {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** Plays a fault of a transcript. */
export async function sendFault(response, fault, body) {
  if ('status' in fault) {
    const error = { message: `scripted ${fault.status}`, type: 'server_error', param: null, code: null };
    sendJson(response, fault.status, fault.body ?? { error }, fault.headers);
    return;
  }
  if ('hangMs' in fault) {
    // Ends early when the caller gives up, so that a stop of the server never waits for it.
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    await wait(fault.hangMs, undefined, { signal: gone.signal, ref: false }).catch(() => undefined);
    response.destroy();
    return;
  }
  if (body.stream === true) {
    const content = fault.content ?? 'This answer is cut in the midd';
    startStream(response);
    writeChunk(response, {
      ...head('chat.completion.chunk', body),
      choices: [delta({ role: 'assistant', content: '' })],
    });
    writeChunk(response, { ...head('chat.completion.chunk', body), choices: [delta({ content: half(content) })] });
    await new Promise((resolve) => response.write('data: {"id":"cut', resolve));
  }
  response.destroy();
}

/** Sends a content turn: as server-sent events when the request says `stream: true`, else as one JSON body. */
export function sendContent(response, turn, body, usage) {
  const calls = (turn.toolCalls ?? []).map((call, index) => ({
    index,
    id: `call_${randomBytes(8).toString('hex')}`,
    type: 'function',
    function: {
      name: call.name,
      arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
    },
  }));
  const finish = turn.finishReason ?? (calls.length > 0 ? 'tool_calls' : 'stop');
  if (body.stream === true) {
    streamContent(response, turn.content, calls, finish, body, usage);
    return;
  }
  const message = { role: 'assistant', content: turn.content, refusal: null };
  const toolCalls = calls.map(({ id, type, function: named }) => ({ id, type, function: named }));
  sendJson(response, 200, {
    ...head('chat.completion', body),
    choices: [
      {
        index: 0,
        message: calls.length > 0 ? { ...message, tool_calls: toolCalls } : message,
        logprobs: null,
        finish_reason: finish,
      },
    ],
    ...(usage === null ? {} : { usage }),
  });
}

function streamContent(response, content, calls, finish, body, usage) {
  const wantsUsage = body.stream_options?.include_usage === true;
  const first = head('chat.completion.chunk', body);
  const chunk = (choices) => writeChunk(response, { ...first, choices, ...(wantsUsage ? { usage: null } : {}) });
  startStream(response);
  chunk([delta({ role: 'assistant', content: content === null ? null : '', refusal: null })]);
  for (const piece of pieces(content ?? '')) chunk([delta({ content: piece })]);
  for (const call of calls) {
    chunk([delta({ tool_calls: [{ ...call, function: { name: call.function.name, arguments: '' } }] })]);
    for (const piece of pieces(call.function.arguments)) {
      chunk([delta({ tool_calls: [{ index: call.index, function: { arguments: piece } }] })]);
    }
  }
  chunk([delta({}, finish)]);
  if (wantsUsage && usage !== null) writeChunk(response, { ...first, choices: [], usage });
  response.end('data: [DONE]\n\n');
}

function startStream(response) {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
}

function writeChunk(response, value) {
  response.write(`data: ${JSON.stringify(value)}\n\n`);
}

function head(object, body) {
  return {
    id: `chatcmpl-${randomBytes(12).toString('hex')}`,
    object,
    created: Math.floor(Date.now() / 1000),
    model: String(body.model ?? 'standin'),
    system_fingerprint: null,
  };
}

function delta(change, finish = null) {
  return { index: 0, delta: change, logprobs: null, finish_reason: finish };
}

function half(text) {
  return text.slice(0, Math.ceil(text.length / 2));
}

/** Small deltas, never through the middle of a surrogate pair. */
function pieces(text) {
  const points = Array.from(text);
  const size = Math.max(12, Math.ceil(points.length / 200));
  const out = [];
  for (let at = 0; at < points.length; at += size) out.push(points.slice(at, at + size).join(''));
  return out;
}
