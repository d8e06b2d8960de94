/** Where a registry sends those that have no token. */
export interface BearerChallenge {
  readonly realm: string;
  readonly service: string | null;
  readonly scope: string | null;
}

/** Reads `WWW-Authenticate: Bearer realm="…",service="…",scope="…"` (RFC 6750; distribution's token specification). */
export function bearerChallenge(header: string | null): BearerChallenge | null {
  if (header === null || !/^bearer\s/i.test(header)) return null;
  const parameters = new Map(
    [...header.matchAll(/([a-zA-Z]+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', value = '']) => [
      key.toLowerCase(),
      value.replace(/\\(.)/g, '$1'),
    ]),
  );
  const realm = parameters.get('realm');
  if (realm === undefined) return null;
  return { realm, service: parameters.get('service') ?? null, scope: parameters.get('scope') ?? null };
}
