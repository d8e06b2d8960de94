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
  /** Between two tries of one exchange: tests make it short. Milliseconds for the first wait. */
  readonly firstWaitMs?: number;
  /** Told of every exchange that the provider or the way to it failed, also when a later try works. */
  readonly onUpstreamFailure?: () => void;
}

const TRIES = 5;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
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

/**
 * Asks an OpenAI-compatible endpoint for a chat completion, streaming. 429, 5xx and broken connections are tried again
 * (Retry-After obeyed), five times in all.
 * @throws InfraError `model_unavailable` when none of them worked, `model_refused` for 4xx (wrong key, unknown model);
 *   AgentError `agent_context_exceeded` when the conversation has grown too long, `agent_malformed` for an endless reply
 */
export async function chat(messages: readonly ChatMessage[], options: ChatOptions): Promise<ChatReply> {
  for (let attempt = 1; ; attempt += 1) {
    options.signal.throwIfAborted();
    try {
      return await exchange(messages, options);
    } catch (error) {
      if (options.signal.aborted) throw error;
      const failure = asFailure(error);
      if (failure.blame === 'infra') options.onUpstreamFailure?.();
      if (failure.code !== 'model_unavailable' || attempt >= TRIES) throw failure;
      await wait(waitMs(failure, attempt, options.firstWaitMs ?? FIRST_WAIT_MS), options.signal);
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
  let content = '';
  let usage: Chunk['usage'] = null;
  let whole = false;
  for await (const data of eventsOf(answer.body)) {
    if (data === '[DONE]') {
      whole = true;
      break;
    }
    const chunk = JSON.parse(data) as Chunk;
    if (chunk.error !== undefined)
      throw unavailable(`the model's stream told of an error: ${chunk.error.message ?? data}`);
    content += chunk.choices?.[0]?.delta?.content ?? '';
    usage = chunk.usage ?? usage;
    if (content.length > LONGEST_REPLY) throw ofAgent('agent_malformed', 'the reply of the model does not end');
  }
  if (!whole) throw unavailable('the model cut its stream');
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
    details: { status, retryAfterMs: retryAfterMs(answer.headers.get('retry-after'), Date.now()) },
  });
}

/** Milliseconds of a Retry-After header: seconds or a date (RFC 9110, 10.2.3). Null when absent or unreadable. */
export function retryAfterMs(header: string | null, now: number): number | null {
  if (header === null) return null;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}

function ofAgent(code: FailureCode, message: string): AgentError {
  return new AgentError(message, { code, phase: 'agent' });
}

function unavailable(message: string, cause?: unknown): InfraError {
  return new InfraError(message, { code: 'model_unavailable', phase: 'agent', cause });
}

function asFailure(error: unknown): BlamedError {
  if (error instanceof BlamedError) return error;
  const reason =
    error instanceof Error ? ((error.cause as Error | undefined)?.message ?? error.message) : String(error);
  return unavailable(`the model cannot be reached: ${reason}`, error);
}

function waitMs({ details }: BlamedError, attempt: number, firstMs: number): number {
  const asked = details['retryAfterMs'];
  const own = firstMs * 2 ** (attempt - 1);
  return Math.min(LONGEST_WAIT_MS, typeof asked === 'number' ? Math.max(asked, own) : own);
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
