import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { Protocol } from './routes';

/** How the provider takes its key. `protocol`: x-api-key for Anthropic messages, a bearer token for the rest. */
export type UpstreamAuth = 'protocol' | 'bearer' | 'x-api-key';

/**
 * What of a client's request goes out. Everything else stays: its credentials, and what could send the bill or the answer
 * elsewhere (organisation, project, forwarding, cookies).
 */
const REQUEST = ['accept', 'content-type', 'user-agent', 'anthropic-version', 'anthropic-beta', 'openai-beta'] as const;

/** What of the provider's answer comes back. Names of accounts and their limits are nobody's business inside. */
const RESPONSE = [
  'content-type',
  'content-encoding',
  'content-length',
  'cache-control',
  'retry-after',
  'retry-after-ms',
  'x-should-retry',
  'x-request-id',
  'request-id',
] as const;

/** The headers of a request to the provider. */
export function upstreamHeaders(
  headers: IncomingHttpHeaders,
  { protocol, auth, key }: { readonly protocol: Protocol; readonly auth: UpstreamAuth; readonly key: string },
): OutgoingHttpHeaders {
  const byKey = auth === 'x-api-key' || (auth === 'protocol' && protocol === 'messages');
  return {
    ...picked(headers, REQUEST),
    'accept-encoding': 'identity',
    ...(byKey ? { 'x-api-key': key } : { authorization: `Bearer ${key}` }),
  };
}

/** What of a client's request headers is kept in the record. */
export function recordedHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return picked(headers, REQUEST);
}

/** The headers of the answer to the client; one that holds the key is left out. */
export function clientHeaders(headers: IncomingHttpHeaders, key: string): Record<string, string> {
  const entries = Object.entries(picked(headers, RESPONSE)).filter(([, value]) => !value.includes(key));
  return Object.fromEntries(entries);
}

/** The tokens that a client shows, as a bearer token or as x-api-key; Anthropic's clients may send both. */
export function shownTokens(headers: IncomingHttpHeaders): string[] {
  const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  const key = headers['x-api-key'];
  return [bearer, typeof key === 'string' ? key : undefined].filter((token) => token !== undefined);
}

function picked(headers: IncomingHttpHeaders, names: readonly string[]): Record<string, string> {
  const found = names.map((name) => [name, headers[name]] as const);
  return Object.fromEntries(found.filter((entry): entry is readonly [string, string] => typeof entry[1] === 'string'));
}
