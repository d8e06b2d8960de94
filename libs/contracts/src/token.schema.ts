import { z } from 'zod';
import { Repository } from './http.schema';

/** What a service token may be allowed to do; the deployment's token may do all of it. */
export const Scope = z.enum(['runs:read', 'runs:write', 'releases:write', 'predictions:write', 'tokens:admin']);
export type Scope = z.infer<typeof Scope>;

export const TokenName = z.string().regex(/^[\x21-\x7e](?:[\x20-\x7e]{0,98}[\x21-\x7e])?$/, {
  error: 'expected 1 to 100 printable ASCII characters, no space at the ends',
});

/** Body of `POST /v1/tokens`. */
export const TokenRequest = z
  .strictObject({
    /** For people: who or what uses it. */
    name: TokenName,
    scopes: z
      .array(Scope)
      .min(1)
      .refine((scopes) => new Set(scopes).size === scopes.length, 'expected no scope twice'),
    /** The only repository whose runs it may see and make; absent: all. */
    repository: Repository.optional(),
    /** When it ends; absent: when it is revoked. */
    expiresAt: z.iso.datetime({ offset: true }).optional(),
  })
  .refine(({ scopes, repository }) => repository === undefined || !scopes.includes('tokens:admin'), {
    path: ['repository'],
    error: 'expected none with tokens:admin, which is for the whole deployment',
  });
export type TokenRequest = z.infer<typeof TokenRequest>;

/** A service token, without the token. */
export const TokenView = z.strictObject({
  id: z.string(),
  name: z.string(),
  scopes: z.array(Scope),
  repository: z.string().nullable(),
  createdBy: z.string(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().nullable(),
  /** To the minute. */
  lastUsedAt: z.iso.datetime().nullable(),
  revokedAt: z.iso.datetime().nullable(),
});
export type TokenView = z.infer<typeof TokenView>;

/** Answer of `POST /v1/tokens` (201): the only time that the token is shown. */
export const TokenCreated = TokenView.extend({ token: z.string() });
export type TokenCreated = z.infer<typeof TokenCreated>;

export const TokenList = z.strictObject({ tokens: z.array(TokenView) });
export type TokenList = z.infer<typeof TokenList>;

/** A call of the HTTP API, accepted or refused. */
export const AuditLine = z.strictObject({
  id: z.string(),
  at: z.iso.datetime(),
  requestId: z.string(),
  principalKind: z.enum(['workflow', 'service', 'deployment', 'nobody']),
  /** In words; null for nobody. */
  principal: z.string().nullable(),
  method: z.string(),
  /** Null where the path leads to no route. */
  route: z.string().nullable(),
  path: z.string(),
  /** HTTP status; 499 where the caller went away before the answer. */
  status: z.int(),
  /** Why it was refused. */
  reason: z.string().nullable(),
  address: z.string(),
});
export type AuditLine = z.infer<typeof AuditLine>;

/** Calls from new to old; `nextCursor` is null on the last page. */
export const AuditList = z.strictObject({ calls: z.array(AuditLine), nextCursor: z.string().nullable() });
export type AuditList = z.infer<typeof AuditList>;
