/** How a model is spoken to. `gemini`: Google's generateContent. */
export type Protocol = 'chat' | 'responses' | 'messages' | 'gemini';

/**
 * A request that goes on to the provider; `upstreamPath` is put behind the configured base URL. `model` stands where the path
 * names it; null: the body does.
 */
export type Route =
  | {
      readonly kind: 'completion';
      readonly protocol: Protocol;
      readonly upstreamPath: string;
      readonly model: string | null;
    }
  | { readonly kind: 'models'; readonly protocol: 'chat'; readonly upstreamPath: string };

const ROUTES: ReadonlyMap<string, Route> = new Map(
  [
    ['POST', '/chat/completions', { kind: 'completion', protocol: 'chat', model: null }],
    ['POST', '/responses', { kind: 'completion', protocol: 'responses', model: null }],
    ['POST', '/messages', { kind: 'completion', protocol: 'messages', model: null }],
    // Claude Code asks so, always.
    ['POST', '/messages?beta=true', { kind: 'completion', protocol: 'messages', model: null }],
    ['GET', '/models', { kind: 'models', protocol: 'chat' }],
  ].flatMap(([method, upstreamPath, rest]) => {
    const route = { ...(rest as object), upstreamPath } as Route;
    return ['', '/v1'].map((prefix) => [`${method as string} ${prefix}${upstreamPath as string}`, route] as const);
  }),
);

/** The stream without `alt=sse` is one JSON list, which nobody asks for. */
const GEMINI =
  /^POST (?:\/v1beta|\/v1)?(\/models\/([A-Za-z0-9][A-Za-z0-9._-]{0,127}):(?:generateContent|streamGenerateContent\?alt=sse))$/;

/**
 * The route of a request line, null for everything that is not known letter for letter: no decoding, no normalising, no
 * absolute URLs, so that there is no trick to play.
 */
export function routeOf(method: string, url: string): Route | null {
  const line = `${method} ${url}`;
  const [, upstreamPath, model] = GEMINI.exec(line) ?? [];
  if (upstreamPath !== undefined && model !== undefined) {
    return { kind: 'completion', protocol: 'gemini', upstreamPath, model };
  }
  return ROUTES.get(line) ?? null;
}
