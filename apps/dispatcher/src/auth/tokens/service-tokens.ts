import { randomBytes } from 'node:crypto';
import { HttpStatus, Inject, Injectable } from '@nestjs/common';
import { Scope, type TokenCreated, type TokenList, type TokenRequest, type TokenView } from '@assay/contracts';
import { Database, insertToken, listTokens, revokeToken, type TokenRow } from '@assay/persistence';
import { LOGGER, Refusal } from '@assay/service-kit';
import type { Logger } from 'pino';
import { nameOf, type Principal } from '../principal';
import { hashOf, newTokenText } from './token-text';

/** Makes, shows and takes back service tokens. */
@Injectable()
export class ServiceTokens {
  constructor(
    private readonly database: Database,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * A token may make others only of what it has itself.
   * @throws Refusal 403 for more than that, 422 for an end that is past
   */
  async create(request: TokenRequest, creator: Principal): Promise<TokenCreated> {
    requireNoMore(request, creator);
    const expiresAt = request.expiresAt === undefined ? null : new Date(request.expiresAt);
    if (expiresAt !== null && expiresAt.getTime() <= Date.now()) {
      throw new Refusal(HttpStatus.UNPROCESSABLE_ENTITY, 'the token would be expired from the start', [
        { field: 'expiresAt', value: request.expiresAt, expected: 'expected a time to come' },
      ]);
    }
    const token = newTokenText();
    const row = await insertToken(this.database, {
      id: `tok-${randomBytes(8).toString('hex')}`,
      name: request.name,
      hash: hashOf(token),
      scopes: request.scopes,
      repository: request.repository ?? null,
      createdBy: nameOf(creator),
      expiresAt,
    });
    this.logger.info({ tokenId: row.id, scopes: row.scopes, repository: row.repository }, 'service token made');
    return { ...viewOf(row), token };
  }

  async list(): Promise<TokenList> {
    return { tokens: (await listTokens(this.database)).map(viewOf) };
  }

  /** @throws Refusal 404 */
  async revoke(id: string): Promise<TokenView> {
    const row = await revokeToken(this.database, id);
    if (row === null) throw new Refusal(HttpStatus.NOT_FOUND, `there is no token ${id}`);
    this.logger.info({ tokenId: id }, 'service token revoked');
    return viewOf(row);
  }
}

function requireNoMore({ scopes }: TokenRequest, creator: Principal): void {
  if (creator.kind !== 'service') return;
  const more = scopes.filter((scope) => !creator.scopes.includes(scope));
  if (more.length === 0) return;
  throw new Refusal(HttpStatus.FORBIDDEN, 'a token makes others only of the scopes that it has itself', [
    { field: 'scopes', value: more, expected: `expected only: ${creator.scopes.join(', ')}` },
  ]);
}

function viewOf(row: TokenRow): TokenView {
  return {
    id: row.id,
    name: row.name,
    scopes: Scope.array().parse(row.scopes),
    repository: row.repository,
    createdBy: row.createdBy,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt?.toISOString() ?? null,
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
    revokedAt: row.revokedAt?.toISOString() ?? null,
  };
}
