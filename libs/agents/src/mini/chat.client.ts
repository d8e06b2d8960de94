import { InfraError } from '@assay/failures';
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
}

const TRIES = 5;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

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
 * @throws InfraError `model_unavailable` when none of them worked, `model_refused` for 4xx (wrong key, unknown model)
 */
export async function chat(messages: readonly ChatMessage[], options: ChatOptions): Promise<ChatReply> {
  for (let attempt = 1; ; attempt += 1) {
    options.signal.throwIfAborted();
    try {
      return await exchange(messages, options);
    } catch (error) {
      if (options.signal.aborted) throw error;
      const failure = asFailure(error);
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
  }
  if (!whole) throw unavailable('the model cut its stream');
  return {
    content,
    promptTokens: usage?.prompt_tokens ?? null,
    completionTokens: usage?.completion_tokens ?? null,
    cachedTokens: usage?.prompt_tokens_details?.cached_tokens ?? 0,
  };
}

async function refusal(answer: Response): Promise<InfraError> {
  const text = (await answer.text()).slice(0, 500);
  const passing = answer.status === 429 || answer.status >= 500;
  const seconds = Number(answer.headers.get('retry-after') ?? NaN);
  const details = { status: answer.status, ...(seconds >= 0 ? { retryAfterMs: seconds * 1000 } : {}) };
  return new InfraError(`the model answered ${answer.status}: ${text}`, {
    code: passing ? 'model_unavailable' : 'model_refused',
    phase: 'agent',
    details,
  });
}

function unavailable(message: string, cause?: unknown): InfraError {
  return new InfraError(message, { code: 'model_unavailable', phase: 'agent', cause });
}

function asFailure(error: unknown): InfraError {
  if (error instanceof InfraError) return error;
  const reason =
    error instanceof Error ? ((error.cause as Error | undefined)?.message ?? error.message) : String(error);
  return unavailable(`the model cannot be reached: ${reason}`, error);
}

function waitMs({ details }: InfraError, attempt: number, firstMs: number): number {
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
