import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { readJson, sendJson } from './http.mjs';
import { chat } from './protocols/chat.mjs';
import { gemini } from './protocols/gemini.mjs';
import { messages } from './protocols/messages.mjs';
import { responses } from './protocols/responses.mjs';
import { replyOf, sendFault } from './replies.mjs';
import { isContent, loadTranscripts, turnFor } from './transcripts.mjs';

const TASK = /^Task: ([A-Za-z0-9._-]+)[ \t\r]*$/m;
const PROTOCOLS = [chat, responses, messages, gemini];

/**
 * Starts a stand-in of a model provider on the loopback interface: chat completions, responses, Anthropic's messages and
 * Google's generateContent, streaming or not, and `GET /v1/models`. It knows no language: it replays the transcripts of a
 * folder. Which one, the line `Task: <instance id>` in a message says; which turn, the number of replies that the
 * conversation holds (see turnFor). `GET /standin/requests` tells what was asked and what was answered.
 * @param {{port?: number, host?: string, transcriptsDir: string, apiKey?: string}} options port 0 or none: any;
 *   with an apiKey, requests need it as their key
 * @returns {Promise<import('./server.d.mts').ModelStandin>} rejects on a malformed transcript or a taken port
 */
export async function startModelStandin({ port = 0, host = '127.0.0.1', transcriptsDir, apiKey }) {
  const transcripts = await loadTranscripts(transcriptsDir);
  const requests = [];
  const seen = new Map();

  const answer = async (request, response) => {
    const path = new URL(request.url ?? '/', 'http://standin').pathname.replace(/^\/v1(?=\/)/, '');
    const protocol = PROTOCOLS.find(({ serves }) => serves(request.method, path));
    if (apiKey !== undefined && keyOf(request) !== apiKey) {
      request.resume();
      return (protocol ?? chat).sendError(response, 401, 'invalid_api_key', 'Incorrect API key provided.');
    }
    if (request.method === 'GET' && path === '/models') {
      const model = { id: 'standin', object: 'model', created: 0, owned_by: 'assay' };
      return sendJson(response, 200, { object: 'list', data: [model] });
    }
    if (request.method === 'GET' && path === '/standin/requests') {
      return sendJson(response, 200, { requests: requests.map(({ body: _, ...told }) => told) });
    }
    if (protocol === undefined) {
      request.resume();
      const what = `Unknown request URL: ${request.method} ${request.url}.`;
      return chat.sendError(response, 404, 'unknown_url', what);
    }
    const body = await readJson(request);
    return complete(protocol, inTurns(protocol.read(body, path)), body, response);
  };

  const complete = (protocol, request, body, response) => {
    const conversation = createHash('sha256').update(JSON.stringify(request.conversation)).digest('hex');
    const asked = seen.get(conversation) ?? 0;
    seen.set(conversation, asked + 1);
    const { task, turn, model, stream } = request;
    const told = { protocol: protocol.name, task, turn, model, stream, body, answered: 'fault', usage: null };
    requests.push(told);
    const transcript = task === null ? undefined : transcripts.get(task);
    if (transcript === undefined) {
      const what = task === null ? 'No message has a line "Task: <instance id>".' : `No transcript of task ${task}.`;
      return protocol.sendError(response, 404, 'transcript_not_found', what);
    }
    const found = turnFor(transcript, turn, asked);
    if (found === null) {
      return protocol.sendError(response, 400, 'transcript_ended', `The transcript of ${task} ends before this turn.`);
    }
    if (!isContent(found)) return sendFault(response, found, protocol, request);
    const reply = replyOf(transcript, found, protocol, request);
    Object.assign(told, { answered: 'content', usage: reply.usage });
    return protocol.send(response, request, reply);
  };

  const server = createServer((request, response) => {
    Promise.resolve(answer(request, response)).catch((error) => {
      if (response.headersSent) response.destroy();
      else chat.sendError(response, 400, 'invalid_request', error.message);
    });
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    url: `http://${host}:${server.address().port}`,
    requests,
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The key where each protocol puts it: a bearer token, `x-api-key`, `x-goog-api-key`. */
function keyOf({ headers }) {
  const bearer = /^Bearer (.*)$/.exec(headers.authorization ?? '')?.[1];
  return bearer ?? headers['x-api-key'] ?? headers['x-goog-api-key'];
}

/**
 * A request with its task, the id of the first line `Task: <id>` in what the agent did not say itself, and its turn, the
 * replies after that: some agents begin a conversation with words that they put into the model's mouth.
 */
function inTurns({ items, ...request }) {
  const found = items.map(({ byModel, text }) => (byModel ? null : TASK.exec(text)));
  const at = found.findIndex((one) => one !== null);
  return {
    ...request,
    prompts: items.filter(({ byModel }) => !byModel).map(({ text }) => text),
    task: at === -1 ? null : found[at][1],
    turn: items.slice(at + 1).filter(({ byModel }) => byModel).length,
  };
}
