import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { Protocol } from './routes';

/**
 * How the provider takes its key. `protocol`: x-api-key for Anthropic's messages, x-goog-api-key for Google's generateContent, a
 * bearer token for the rest.
 */
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
  return { ...picked(headers, REQUEST), 'accept-encoding': 'identity', ...credential(auth, protocol, key) };
}

function credential(auth: UpstreamAuth, protocol: Protocol, key: string): Record<string, string> {
  if (auth === 'x-api-key' || (auth === 'protocol' && protocol === 'messages')) return { 'x-api-key': key };
  if (auth === 'protocol' && protocol === 'gemini') return { 'x-goog-api-key': key };
  return { authorization: `Bearer ${key}` };
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

/** The tokens that a client shows: as a bearer token, x-api-key or x-goog-api-key; Anthropic's clients may send two. */
export function shownTokens(headers: IncomingHttpHeaders): string[] {
  const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  const keys = [headers['x-api-key'], headers['x-goog-api-key']].filter((key) => typeof key === 'string');
  return bearer === undefined ? keys : [bearer, ...keys];
}

function picked(headers: IncomingHttpHeaders, names: readonly string[]): Record<string, string> {
  const found = names.map((name) => [name, headers[name]] as const);
  return Object.fromEntries(found.filter((entry): entry is readonly [string, string] => typeof entry[1] === 'string'));
}
