import { IdempotencyKey } from '@assay/contracts';
import type { Command } from 'commander';
import { randomUUID } from 'node:crypto';
import { clientOf, withConnection, type ConnectionOptions } from '../connection';
import { answer, UsageError } from '../output';
import { requestOf, type RequestOptions } from './submit-request';

interface SubmitOptions extends ConnectionOptions, RequestOptions {
  readonly idempotencyKey?: string;
}

/** `assay submit`: what the Action does, by hand. */
export function submitCommand(program: Command): void {
  withConnection(program.command('submit').description('hand in a run'))
    .requiredOption('--suite <name>', 'suite to run')
    .requiredOption('--ref <ref>', 'evaluated git ref, e.g. v1.2.0')
    .requiredOption('--commit <sha>', 'its commit, 40 hexadecimal digits')
    .requiredOption('--package-version <version>', 'the package version of the agent')
    .requiredOption('--model <name>', 'model name')
    .option('--agent <name>', "agent, in place of the suite's")
    .option('--limit <k>', 'only the first k instances, from 1')
    .option('--instance <id>', 'only this instance')
    .option('--max-attempts <n>', 'trials at most, 1 to 8 (default 4)')
    .option('--backoff <seconds>', 'wait after the first failed trial, 0 to 3600 (default 60)')
    .option('--repository <owner/name>', 'repository of the release to write to')
    .option('--release-id <id>', 'numeric id of that release')
    .option('--tag <tag>', 'tag of that release')
    .option('--trigger <kind>', 'release, workflow_dispatch or manual', 'manual')
    .option('--run-url <url>', "the Actions run's address")
    .option('--idempotency-key <key>', 'the same key is the same run (default: a new one)')
    .action(async (options: SubmitOptions) => {
      const body = requestOf(options);
      const key = keyOf(options.idempotencyKey);
      const reply = await clientOf(options).submit(body, key);
      answer(options.json, reply, () =>
        [`${reply.runId} is ${reply.status}${reply.deduplicated ? ' (submitted before)' : ''}`, reply.statusUrl].join(
          '\n',
        ),
      );
    });
}

/** A new key where none is given. Throws UsageError for one that the server would refuse. */
function keyOf(text: string | undefined): string {
  if (text === undefined) return `cli-${randomUUID()}`;
  const parsed = IdempotencyKey.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new UsageError(`--idempotency-key: ${parsed.error.issues[0]?.message ?? ''}, got ${JSON.stringify(text)}`);
}
