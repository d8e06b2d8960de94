import { AgentError, BlamedError, type FailureCode, InfraError } from '@assay/failures';
import type { ModelEndpoint } from '../trial-agent.port';
import { eventsOf } from './server-sent-events';

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** One completed exchange. Token counts are null where the provider reported none. */
export interface ChatReply {
  readonly content: string;
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  readonly cachedTokens: number;
}

export interface ChatOptions {
  readonly endpoint: ModelEndpoint;
  readonly model: string;
  readonly signal: AbortSignal;
  /** Told of every exchange that the provider or the way to it failed, also when asking again works. */
  readonly onUpstreamFailure?: () => void;
}

/** How often a reply may break off in the middle before the exchange has failed. */
const MOST_BREAKS = 3;
/** Characters of one reply; a model that says more has lost itself. */
const LONGEST_REPLY = 2_000_000;

interface Chunk {
  choices?: { delta?: { content?: string | null } }[];
  usage?: {
    prompt_tokens?: number;
    completion_tokens?: number;
    prompt_tokens_details?: { cached_tokens?: number } | null;
  } | null;
  error?: { message?: string };
}

/** A reply that had begun and was not whole. */
class BrokenReply extends InfraError {
  constructor(message: string, cause?: unknown) {
    super(message, { code: 'model_unavailable', phase: 'agent', cause });
  }
}

/**
 * Asks an OpenAI-compatible endpoint for a chat completion, streaming. 429, 5xx and connections that break before a reply are
 * the gateway's to try again, and what comes of them is final here. A reply that breaks off is the client's, since some of it
 * has been passed on (docs/adr/0008-model-gateway.md): it is asked for again at once, twice.
 * @throws InfraError `model_unavailable` when there was no whole reply, `model_refused` for 4xx (wrong key, unknown model);
 *   AgentError `agent_context_exceeded` when the conversation has grown too long, `agent_malformed` for an endless reply
 */
export async function chat(messages: readonly ChatMessage[], options: ChatOptions): Promise<ChatReply> {
  for (let breaks = 1; ; breaks += 1) {
    options.signal.throwIfAborted();
    try {
      return await exchange(messages, options);
    } catch (error) {
      if (options.signal.aborted) throw error;
      const failure = asFailure(error);
      if (failure.blame === 'infra') options.onUpstreamFailure?.();
      if (!(failure instanceof BrokenReply) || breaks >= MOST_BREAKS) throw failure;
    }
  }
}

async function exchange(
  messages: readonly ChatMessage[],
  { endpoint, model, signal }: ChatOptions,
): Promise<ChatReply> {
  const answer = await fetch(`${endpoint.baseUrl.replace(/\/+$/, '')}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${endpoint.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages, stream: true, stream_options: { include_usage: true } }),
    redirect: 'error',
    signal,
  });
  if (!answer.ok) throw await refusal(answer);
  try {
    return await read(answer.body);
  } catch (error) {
    throw error instanceof BlamedError
      ? error
      : new BrokenReply(`the reply of the model broke off: ${reasonOf(error)}`, error);
  }
}

async function read(body: Response['body']): Promise<ChatReply> {
  let content = '';
  let usage: Chunk['usage'] = null;
  let whole = false;
  for await (const data of eventsOf(body)) {
    if (data === '[DONE]') {
      whole = true;
      break;
    }
    const chunk = JSON.parse(data) as Chunk;
    if (chunk.error !== undefined)
      throw new BrokenReply(`the model's stream told of an error: ${chunk.error.message ?? data}`);
    content += chunk.choices?.[0]?.delta?.content ?? '';
    usage = chunk.usage ?? usage;
    if (content.length > LONGEST_REPLY) throw ofAgent('agent_malformed', 'the reply of the model does not end');
  }
  if (!whole) throw new BrokenReply('the model cut its stream');
  return {
    content,
    promptTokens: usage?.prompt_tokens ?? null,
    completionTokens: usage?.completion_tokens ?? null,
    cachedTokens: usage?.prompt_tokens_details?.cached_tokens ?? 0,
  };
}

async function refusal(answer: Response): Promise<BlamedError> {
  const text = (await answer.text()).slice(0, 500);
  const { status } = answer;
  if ((status === 400 || status === 413) && /context_length_exceeded|maximum context length/i.test(text)) {
    return ofAgent('agent_context_exceeded', 'the conversation is longer than the model takes');
  }
  const passing = status === 408 || status === 429 || status >= 500;
  return new InfraError(`the model answered ${status}: ${text}`, {
    code: passing ? 'model_unavailable' : 'model_refused',
    phase: 'agent',
    details: { status },
  });
}

function ofAgent(code: FailureCode, message: string): AgentError {
  return new AgentError(message, { code, phase: 'agent' });
}

function asFailure(error: unknown): BlamedError {
  if (error instanceof BlamedError) return error;
  return new InfraError(`the model cannot be reached: ${reasonOf(error)}`, {
    code: 'model_unavailable',
    phase: 'agent',
    cause: error,
  });
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return (error.cause as Error | undefined)?.message ?? error.message;
}
