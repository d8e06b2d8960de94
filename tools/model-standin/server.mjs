import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { sendContent, sendError, sendFault, sendJson } from './answers.mjs';
import { isContent, loadTranscripts, turnFor } from './transcripts.mjs';

const MAX_BODY = 16 * 1024 * 1024;

/**
 * Starts a stand-in of a model provider on the loopback interface: `POST /v1/chat/completions` (also without /v1),
 * streaming or not, and `GET /v1/models`. It knows no language: it replays the transcripts of a folder. Which one, the
 * line `Task: <instance id>` in a message says; which turn, the number of assistant messages (see turnFor).
 * @param {{port?: number, host?: string, transcriptsDir: string, apiKey?: string}} options port 0 or none: any;
 *   with an apiKey, requests need it as their bearer token
 * @returns {Promise<import('./server.d.mts').ModelStandin>} rejects on a malformed transcript or a taken port
 */
export async function startModelStandin({ port = 0, host = '127.0.0.1', transcriptsDir, apiKey }) {
  const transcripts = await loadTranscripts(transcriptsDir);
  const requests = [];
  const seen = new Map();

  const answer = async (request, response) => {
    const path = new URL(request.url ?? '/', 'http://standin').pathname.replace(/^\/v1(?=\/)/, '');
    if (apiKey !== undefined && request.headers.authorization !== `Bearer ${apiKey}`) {
      request.resume();
      return sendError(response, 401, 'invalid_api_key', 'Incorrect API key provided.');
    }
    if (path === '/models' && request.method === 'GET') {
      return sendJson(response, 200, {
        object: 'list',
        data: [{ id: 'standin', object: 'model', created: 0, owned_by: 'assay' }],
      });
    }
    if (path !== '/chat/completions' || request.method !== 'POST') {
      request.resume();
      return sendError(response, 404, 'unknown_url', `Unknown request URL: ${request.method} ${request.url}.`);
    }
    const body = await readJson(request);
    if (!Array.isArray(body?.messages)) {
      return sendError(response, 400, 'invalid_request', "Missing or malformed parameter: 'messages'.");
    }
    return complete(body, response);
  };

  const complete = (body, response) => {
    const task = taskOf(body.messages);
    const assistantMessages = body.messages.filter((message) => message?.role === 'assistant').length;
    const conversation = createHash('sha256').update(JSON.stringify(body.messages)).digest('hex');
    const asked = seen.get(conversation) ?? 0;
    seen.set(conversation, asked + 1);
    requests.push({ task, turn: assistantMessages, model: body.model ?? null, stream: body.stream === true, body });
    const transcript = task === null ? undefined : transcripts.get(task);
    if (transcript === undefined) {
      const what = task === null ? 'No message has a line "Task: <instance id>".' : `No transcript of task ${task}.`;
      return sendError(response, 404, 'transcript_not_found', what);
    }
    const turn = turnFor(transcript, assistantMessages, asked);
    if (turn === null) {
      return sendError(response, 400, 'transcript_ended', `The transcript of ${task} ends before this turn.`);
    }
    if (!isContent(turn)) return sendFault(response, turn, body);
    return sendContent(response, turn, body, usageOf(transcript, turn, body));
  };

  const server = createServer((request, response) => {
    Promise.resolve(answer(request, response)).catch((error) => {
      if (response.headersSent) response.destroy();
      else sendError(response, 400, 'invalid_request', error.message);
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

async function readJson(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY) throw new Error(`the request is larger than ${MAX_BODY} bytes`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new Error('We could not parse the JSON body of your request.');
  }
}

/** The id of the first line `Task: <id>` in the messages that the agent did not say itself. */
function taskOf(messages) {
  for (const message of messages) {
    if (message?.role === 'assistant') continue;
    const found = /^Task: ([A-Za-z0-9._-]+)[ \t\r]*$/m.exec(textOf(message?.content));
    if (found !== null) return found[1];
  }
  return null;
}

function textOf(content) {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((part) => part?.text ?? '').join('\n') : '';
}

/** Four characters a token, where the transcript states nothing. */
function usageOf(transcript, turn, body) {
  if (transcript.usage === null) return null;
  const given = transcript.usage ?? {
    prompt_tokens: Math.ceil(body.messages.map((message) => textOf(message?.content)).join('').length / 4),
    completion_tokens: Math.ceil(((turn.content ?? '').length + JSON.stringify(turn.toolCalls ?? '').length) / 4),
  };
  return { ...given, total_tokens: given.total_tokens ?? given.prompt_tokens + given.completion_tokens };
}
