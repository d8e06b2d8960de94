import { ExitError } from '../output';
import type { ModelSettings } from './model-settings';

const ANSWER_MS = 10_000;

/**
 * Asks the real model's server for its list of models, which costs nothing. That it has none is no fault: not every
 * server lists them. Throws ExitError where nobody answers, or the key is refused; never shows the key.
 */
export async function requireModel({ url, key }: ModelSettings, fetched: typeof fetch = fetch): Promise<void> {
  const headers = { authorization: `Bearer ${key}` };
  const asked = `${url.replace(/\/+$/, '')}/models`;
  const answer = await fetched(asked, { headers, signal: AbortSignal.timeout(ANSWER_MS) }).catch((error: unknown) => {
    throw new ExitError(1, `OPENAI_BASE_URL: no answer from ${asked}: ${reasonOf(error)}`);
  });
  await answer.body?.cancel();
  if (answer.status !== 401 && answer.status !== 403) return;
  throw new ExitError(1, `OPENAI_API_KEY: ${asked} refuses it (${answer.status}); its value is not shown`);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  // Where several addresses were tried, the message of the whole is empty.
  return cause.message === '' && 'code' in cause ? String(cause.code) : cause.message;
}
