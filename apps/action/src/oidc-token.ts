import { ActionFailure, PassingFailure } from './failure';
import { call } from './http.client';
import type { Runner } from './runner';
import type { Settings } from './settings';

/**
 * A new OIDC token of this job from the runner's service. Each is good for one submission: the dispatcher takes none
 * twice.
 * @throws ActionFailure without `permissions: id-token: write`
 */
export async function freshToken(
  env: NodeJS.ProcessEnv,
  { audience, requestTimeoutMs: timeoutMs }: Settings,
  runner: Runner,
): Promise<string> {
  const [address, secret] = [env['ACTIONS_ID_TOKEN_REQUEST_URL'] ?? '', env['ACTIONS_ID_TOKEN_REQUEST_TOKEN'] ?? ''];
  if (!URL.canParse(address) || secret === '') {
    throw new ActionFailure('the job may not ask for an OIDC token: give it `permissions: id-token: write`');
  }
  runner.hide(secret);
  const url = new URL(address);
  url.searchParams.set('audience', audience);
  const headers = { authorization: `Bearer ${secret}`, accept: 'application/json' };
  const { status, text } = await call({ method: 'GET', url, headers, body: null, ca: null, timeoutMs });
  if (status >= 500 || status === 429) throw new PassingFailure(`GitHub gives no OIDC token now (${status})`);
  const token = status === 200 ? tokenIn(text) : null;
  if (token === null) throw new ActionFailure(`GitHub gives this job no OIDC token (${status})`);
  runner.hide(token);
  return token;
}

function tokenIn(text: string): string | null {
  try {
    const { value } = JSON.parse(text) as { value?: unknown };
    return typeof value === 'string' && /^[\x21-\x7e]+$/.test(value) ? value : null;
  } catch {
    return null;
  }
}
