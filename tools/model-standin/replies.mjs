import { setTimeout as wait } from 'node:timers/promises';
import { sendJson } from './http.mjs';
import { rendered } from './actions.mjs';

/** Plays a fault of a transcript in the words of a protocol. */
export async function sendFault(response, fault, protocol, request) {
  if ('status' in fault) {
    if (fault.body !== undefined) sendJson(response, fault.status, fault.body, fault.headers);
    else {
      const how = { type: 'server_error', headers: fault.headers };
      protocol.sendError(response, fault.status, null, `scripted ${fault.status}`, how);
    }
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
  if (request.stream) {
    const content = fault.content ?? 'This answer is cut in the midd';
    protocol.begin(response, request, content.slice(0, Math.ceil(content.length / 2)));
    await new Promise((resolve) => response.write('data: {"id":"cut', resolve));
  }
  response.destroy();
}

/** What a content turn says to this caller: its text, the calls of the caller's own tools, its usage. */
export function replyOf(transcript, turn, protocol, request) {
  const { content, calls } = rendered(turn, request);
  const reply = {
    content,
    calls: calls.map(({ name, arguments: given }) => ({
      id: protocol.callId(),
      name,
      arguments: typeof given === 'string' ? given : JSON.stringify(given),
    })),
    finish: turn.finishReason,
  };
  return { ...reply, usage: usageOf(transcript, turn, request, reply) };
}

/** Four characters a token, where the transcript states nothing. */
function usageOf(transcript, turn, { prompts }, { content, calls }) {
  const stated = turn.usage === undefined ? transcript.usage : turn.usage;
  if (stated === null) return null;
  const given = stated ?? {
    prompt_tokens: Math.ceil(prompts.join('').length / 4),
    completion_tokens: Math.ceil(((content ?? '').length + JSON.stringify(calls).length) / 4),
  };
  return { ...given, total_tokens: given.total_tokens ?? given.prompt_tokens + given.completion_tokens };
}
