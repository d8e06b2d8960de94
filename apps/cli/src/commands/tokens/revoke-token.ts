import type { Command } from 'commander';
import { clientOf, withConnection, type ConnectionOptions } from '../../connection';
import { answer } from '../../output';

/** `assay tokens revoke TOKEN`: by its id; twice is once. */
export function revokeToken(tokens: Command): void {
  withConnection(tokens.command('revoke <token-id>').description('take a service token back')).action(
    async (id: string, options: ConnectionOptions) => {
      const token = await clientOf(options).revokeToken(id);
      answer(options.json, token, () => `${token.id} (${token.name}) was revoked at ${token.revokedAt ?? 'no time'}`);
    },
  );
}
