import { Scope, type TokenCreated, TokenRequest, problemLines, problemsOf } from '@assay/contracts';
import { type Command, Option } from 'commander';
import { clientOf, withConnection, type ConnectionOptions } from '../../connection';
import { answer, UsageError } from '../../output';
import { PrivateFile } from './private-file';

interface CreateOptions extends ConnectionOptions {
  readonly scope: readonly string[];
  readonly repository?: string;
  readonly expires?: string;
  readonly out?: string;
}

/** `assay tokens create NAME`: prints the token, or writes it to a file that nobody else can read. */
export function createToken(tokens: Command): void {
  withConnection(tokens.command('create <name>').description('make a service token; it is shown once'))
    .requiredOption('--scope <scopes...>', `what it may do: ${Scope.options.join(', ')}`)
    .option('--repository <owner/name>', 'the only repository whose runs it may see and make')
    .option('--expires <time>', 'when it ends, e.g. 2027-01-31T00:00:00Z (default: when it is revoked)')
    .addOption(new Option('--out <file>', 'write the token to this new file, mode 0600, in place of printing it'))
    .action(async (name: string, options: CreateOptions) => {
      const request = requestOf(name, options);
      const client = clientOf(options);
      // Before the token is made: it cannot be shown again.
      const file = options.out === undefined ? null : PrivateFile.create(options.out);
      const made = await client.createToken(request).catch((error: unknown) => {
        file?.remove();
        throw error;
      });
      file?.write(`${made.token}\n`);
      const { token, ...view } = made;
      answer(options.json, file === null ? made : view, () => inWords(view, file?.path ?? null, token));
    });
}

function requestOf(name: string, { scope, repository, expires }: CreateOptions): TokenRequest {
  const body = {
    name,
    scopes: scope.flatMap((each) => each.split(',')),
    ...(repository === undefined ? {} : { repository }),
    ...(expires === undefined ? {} : { expiresAt: expires }),
  };
  const parsed = TokenRequest.safeParse(body);
  if (parsed.success) return parsed.data;
  const lines = problemLines(problemsOf(parsed.error, body)).map((line) => `  ${line}`);
  throw new UsageError(['the token is not valid', ...lines].join('\n'));
}

function inWords({ id, name }: Omit<TokenCreated, 'token'>, file: string | null, token: string): string {
  if (file !== null) return `${id} (${name}) is in ${file}`;
  return [`${id} (${name}); it is not shown again:`, token].join('\n');
}
