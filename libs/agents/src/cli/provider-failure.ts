import { AgentError, InfraError, type BlamedError } from '@assay/failures';

const TOO_LONG =
  /context_length_exceeded|maximum context length|prompt is too long|exceeds? the (?:model'?s )?context/i;
const NETWORK =
  /fetch failed|Connection error|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ENOTFOUND|UND_ERR|socket hang up|other side closed|error sending request|stream (?:disconnected|closed|ended)|Model stream ended|premature close|terminated|incomplete|timed? ?out|overloaded/i;

/**
 * Whether what an agent says went wrong is its model's provider, or the way to it. The status stands in the text in one of
 * the usual manners (`API Error: 401 …`, `unexpected status 429`, `HTTP 503`, `Error code: 500`).
 * @returns null for what is no failure of the provider
 */
export function providerFailure(text: string): BlamedError | null {
  const status = statusIn(text);
  if ((status === 400 || status === 413 || status === null) && TOO_LONG.test(text)) {
    const options = {
      code: 'agent_context_exceeded',
      phase: 'agent',
      details: { told: text.slice(0, 1_000) },
    } as const;
    return new AgentError('the conversation is longer than the model takes', options);
  }
  if (status === null && !NETWORK.test(text)) return null;
  const passing = status === null || status === 408 || status === 429 || status >= 500;
  return new InfraError(`the agent ended because of its model: ${text.slice(0, 1_000)}`, {
    code: passing ? 'model_unavailable' : 'model_refused',
    phase: 'agent',
    details: { status },
  });
}

/** An HTTP status from 400 to 599 that the text names as one. */
function statusIn(text: string): number | null {
  const found =
    /(?:API Error|Error code|HTTP(?: error)?|status(?: code)?|got status|APIError)[\s:"(]*(?:HTTP )?([45]\d\d)\b/i.exec(
      text,
    ) ??
    /^\W*([45]\d\d)\b/.exec(text) ??
    /"(?:code|status|statusCode)"\s*:\s*([45]\d\d)\b/.exec(text);
  return found?.[1] === undefined ? null : Number(found[1]);
}
