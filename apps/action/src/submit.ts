import { setTimeout as wait } from 'node:timers/promises';
import type { ReleaseRequest } from './event';
import { ActionFailure, PassingFailure } from './failure';
import { call, type Reply } from './http.client';
import { readReceipt, type Receipt } from './receipt';
import type { Runner } from './runner';
import type { Settings } from './settings';

const MAX_DELAY_MS = 60_000;
/** Longer than a job should hang on: the person who re-runs it waits better. */
const MAX_RETRY_AFTER_SECONDS = 180;

export interface Submission {
  readonly key: string;
  readonly request: ReleaseRequest;
}

/**
 * Hands the release over: the same key in every try, so that a try whose answer was lost starts nothing twice, and a new
 * token, because each is taken once.
 * @throws ActionFailure if it was refused, or could not be handed over in as many tries as the settings allow
 */
export async function submit(
  submission: Submission,
  settings: Settings,
  token: () => Promise<string>,
  runner: Runner,
): Promise<Receipt> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return readReceipt(accepted(await post(submission, settings, await token())), settings.url);
    } catch (error) {
      if (!(error instanceof PassingFailure)) throw error;
      if (attempt >= settings.attempts) throw new ActionFailure(`given up after ${attempt} tries: ${error.message}`);
      const delayMs = delayOf(error, attempt, settings);
      runner.log(`Try ${attempt} of ${settings.attempts}: ${error.message}; again in ${Math.ceil(delayMs / 1000)} s`);
      await wait(delayMs);
    }
  }
}

async function post({ key, request }: Submission, settings: Settings, token: string): Promise<Reply> {
  const body = JSON.stringify(request);
  return call({
    method: 'POST',
    url: new URL(`${settings.url}/v1/releases`),
    headers: {
      authorization: `Bearer ${token}`,
      'idempotency-key': key,
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      accept: 'application/json',
      'user-agent': 'assay-dispatch-action',
    },
    body,
    ca: settings.ca,
    timeoutMs: settings.requestTimeoutMs,
  });
}

/** The body of an answer that is a receipt. */
function accepted({ status, text, retryAfter }: Reply): string {
  if (status === 200 || status === 202) return text;
  const said = `the dispatcher answered ${status}: ${errorIn(text)}`;
  if (status === 429 || status >= 500) throw new PassingFailure(said, secondsOf(retryAfter));
  throw new ActionFailure(said);
}

/** What an error reply says, with every field that it names; or the beginning of whatever it is. */
function errorIn(text: string): string {
  try {
    const { message, errors } = JSON.parse(text) as { message?: unknown; errors?: unknown };
    if (typeof message !== 'string') return text.slice(0, 300);
    const fields = Array.isArray(errors) ? errors.map(fieldLine) : [];
    return [message, ...fields].join('; ').slice(0, 2000);
  } catch {
    return text.slice(0, 300);
  }
}

function fieldLine(error: unknown): string {
  const { field, expected, value } = error as { field?: unknown; expected?: unknown; value?: unknown };
  return `${String(field)}: ${String(expected)}, got ${value === undefined ? 'nothing' : JSON.stringify(value)}`;
}

/** Retry-After in seconds: a number, or a date. */
function secondsOf(header: string | null): number | null {
  if (header === null) return null;
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null;
}

/** Doubles from try to try, up to a minute, and a tenth more at random; never less than what the server asked for. */
function delayOf({ retryAfterSeconds, message }: PassingFailure, attempt: number, { retryDelayMs }: Settings): number {
  if (retryAfterSeconds !== null && retryAfterSeconds > MAX_RETRY_AFTER_SECONDS) {
    throw new ActionFailure(
      `${message}; it asks for ${Math.ceil(retryAfterSeconds)} s of patience: run the job again then`,
    );
  }
  const own = Math.min(MAX_DELAY_MS, retryDelayMs * 2 ** (attempt - 1)) * (1 + Math.random() / 10);
  return Math.max(own, 1000 * (retryAfterSeconds ?? 0));
}
