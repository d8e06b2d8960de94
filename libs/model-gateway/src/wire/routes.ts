/** How a model is spoken to. */
export type Protocol = 'chat' | 'responses' | 'messages';

/** A request that goes on to the provider; `upstreamPath` is put behind the configured base URL. */
export type Route =
  | { readonly kind: 'completion'; readonly protocol: Protocol; readonly upstreamPath: string }
  | { readonly kind: 'models'; readonly protocol: 'chat'; readonly upstreamPath: string };

const ROUTES: ReadonlyMap<string, Route> = new Map(
  [
    ['POST', '/chat/completions', { kind: 'completion', protocol: 'chat' }],
    ['POST', '/responses', { kind: 'completion', protocol: 'responses' }],
    ['POST', '/messages', { kind: 'completion', protocol: 'messages' }],
    // Claude Code asks so, always.
    ['POST', '/messages?beta=true', { kind: 'completion', protocol: 'messages' }],
    ['GET', '/models', { kind: 'models', protocol: 'chat' }],
  ].flatMap(([method, upstreamPath, rest]) => {
    const route = { ...(rest as object), upstreamPath } as Route;
    return ['', '/v1'].map((prefix) => [`${method as string} ${prefix}${upstreamPath as string}`, route] as const);
  }),
);

/**
 * The route of a request line, null for everything that is not known letter for letter: no decoding, no normalising, no
 * absolute URLs, so that there is no trick to play.
 */
export function routeOf(method: string, url: string): Route | null {
  return ROUTES.get(`${method} ${url}`) ?? null;
}
