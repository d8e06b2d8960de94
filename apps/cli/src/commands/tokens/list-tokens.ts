import type { TokenView } from '@assay/contracts';
import type { Command } from 'commander';
import { clientOf, withConnection, type ConnectionOptions } from '../../connection';
import { answer, table } from '../../output';

/** `assay tokens list`: the newest first. */
export function listTokens(tokens: Command): void {
  withConnection(
    tokens.command('list').description('list every service token that there was, the newest first'),
  ).action(async (options: ConnectionOptions) => {
    const list = await clientOf(options).tokens();
    answer(options.json, list, () => {
      if (list.tokens.length === 0) return 'no service tokens yet';
      const head = ['TOKEN', 'NAME', 'SCOPES', 'REPOSITORY', 'STATE', 'LAST USED'];
      return table([head, ...list.tokens.map((token) => rowOf(token, new Date()))]);
    });
  });
}

function rowOf(token: TokenView, now: Date): string[] {
  const { id, name, scopes, repository, lastUsedAt } = token;
  return [id, name, scopes.join(','), repository ?? 'all', stateOf(token, now), lastUsedAt ?? 'never'];
}

/** In words: whether it lets anybody in, and until when. */
export function stateOf({ expiresAt, revokedAt }: TokenView, now: Date): string {
  if (revokedAt !== null) return `revoked ${revokedAt}`;
  if (expiresAt === null) return 'good';
  return new Date(expiresAt) > now ? `good until ${expiresAt}` : `expired ${expiresAt}`;
}
