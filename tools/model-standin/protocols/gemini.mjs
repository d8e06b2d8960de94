import { pieces, sendEvent, sendJson, startStream } from '../http.mjs';

const PATH = /^\/(?:v1beta\/)?models\/([^/:]+):(generateContent|streamGenerateContent)$/;
const STATES = { 401: 'UNAUTHENTICATED', 404: 'NOT_FOUND', 429: 'RESOURCE_EXHAUSTED', 503: 'UNAVAILABLE' };

/** Google's generateContent: what gemini-cli speaks. */
export const gemini = {
  name: 'gemini',
  serves: (method, path) => method === 'POST' && PATH.test(path),

  read(body, path) {
    if (!Array.isArray(body?.contents)) throw new Error('contents is not specified');
    const [, model, verb] = PATH.exec(path);
    const ofTheModel = (content) => content?.role === 'model';
    return {
      model,
      stream: verb === 'streamGenerateContent',
      conversation: body.contents,
      items: body.contents
        .filter((content, at) => !(ofTheModel(content) && ofTheModel(body.contents[at - 1])))
        .map((content) => ({ byModel: ofTheModel(content), text: textOf(content) })),
      tools: (body.tools ?? []).flatMap((tool) => tool?.functionDeclarations ?? []).map(({ name }) => name),
      wantsUsage: true,
    };
  },

  callId: () => '',

  sendError(response, status, _code, message, { headers } = {}) {
    const state = STATES[status] ?? (status >= 500 ? 'INTERNAL' : 'INVALID_ARGUMENT');
    sendJson(response, status, { error: { code: status, message, status: state } }, headers);
  },

  send(response, request, { content, calls, usage }) {
    const said = content === null || content === '' ? [] : pieces(content).map((text) => ({ text }));
    const called = calls.map(({ name, arguments: text }) => ({ functionCall: { name, args: JSON.parse(text) } }));
    const last = { ...chunk(request, called.length > 0 ? called : [{ text: '' }], 'STOP'), ...usageOf(usage) };
    if (!request.stream) {
      const { candidates } = chunk(request, [...said, ...called], 'STOP');
      sendJson(response, 200, { ...last, candidates });
      return;
    }
    startStream(response);
    for (const part of said) sendEvent(response, chunk(request, [part]));
    sendEvent(response, last);
    response.end();
  },

  begin(response, request, text) {
    startStream(response);
    sendEvent(response, chunk(request, [{ text }]));
  },
};

function textOf(content) {
  return (content?.parts ?? []).map((part) => part?.text ?? '').join('\n');
}

function chunk({ model }, parts, finishReason) {
  const candidate = { index: 0, content: { role: 'model', parts }, ...(finishReason ? { finishReason } : {}) };
  return { candidates: [candidate], modelVersion: model };
}

function usageOf(usage) {
  if (usage === null) return {};
  return {
    usageMetadata: {
      promptTokenCount: usage.prompt_tokens,
      candidatesTokenCount: usage.completion_tokens,
      totalTokenCount: usage.total_tokens,
      cachedContentTokenCount: usage.prompt_tokens_details?.cached_tokens ?? 0,
    },
  };
}
