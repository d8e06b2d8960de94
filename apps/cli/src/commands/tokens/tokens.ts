import type { Command } from 'commander';
import { createToken } from './create-token';
import { listTokens } from './list-tokens';
import { revokeToken } from './revoke-token';

/** `assay tokens …`: the service tokens of a dispatcher. */
export function tokensCommand(program: Command): void {
  const tokens = program.command('tokens').description('make, list and revoke service tokens');
  for (const add of [createToken, listTokens, revokeToken]) add(tokens);
}
