import { problemLines, problemsOf, SubmitRequest } from '@assay/contracts';
import type { Command } from 'commander';
import { randomUUID } from 'node:crypto';
import { clientOf, withConnection, type ConnectionOptions } from '../connection';
import { answer, UsageError } from '../output';

interface SubmitOptions extends ConnectionOptions {
  readonly suite: string;
  readonly ref: string;
  readonly commit: string;
  readonly packageVersion: string;
  readonly model: string;
  readonly agent?: string;
  readonly limit?: string;
  readonly instance?: string;
  readonly maxAttempts?: string;
  readonly backoff?: string;
  readonly repository?: string;
  readonly releaseId?: string;
  readonly tag?: string;
  readonly trigger: string;
  readonly runUrl?: string;
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
    .option('--limit <k>', 'only the first k instances')
    .option('--instance <id>', 'only this instance')
    .option('--max-attempts <n>', 'trials at most, 1 to 8 (default 4)')
    .option('--backoff <seconds>', 'wait after the first failed trial (default 60)')
    .option('--repository <owner/name>', 'repository of the release to write to')
    .option('--release-id <id>', 'numeric id of that release')
    .option('--tag <tag>', 'tag of that release')
    .option('--trigger <kind>', 'release, workflow_dispatch or manual', 'manual')
    .option('--run-url <url>', "the Actions run's address")
    .option('--idempotency-key <key>', 'the same key is the same run (default: a new one)')
    .action(async (options: SubmitOptions) => {
      const body = requestOf(options);
      const key = options.idempotencyKey ?? `cli-${randomUUID()}`;
      const reply = await clientOf(options).submit(body, key);
      answer(options.json, reply, () =>
        [`${reply.runId} is ${reply.status}${reply.deduplicated ? ' (submitted before)' : ''}`, reply.statusUrl].join(
          '\n',
        ),
      );
    });
}

/** The request that the options make. Throws UsageError naming every wrong option's field, value and expectation. */
export function requestOf(options: SubmitOptions): SubmitRequest {
  const number = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));
  const release = [options.repository, options.releaseId, options.tag];
  const input = withoutUndefined({
    suite: options.suite,
    evaluated: { ref: options.ref, commit: options.commit, packageVersion: options.packageVersion },
    model: options.model,
    agent: options.agent,
    limit: number(options.limit),
    instanceId: options.instance,
    maxAttempts: number(options.maxAttempts),
    backoffSeconds: number(options.backoff),
    trigger: options.trigger,
    githubRunUrl: options.runUrl,
    release: release.every((part) => part === undefined)
      ? undefined
      : withoutUndefined({ repository: options.repository, id: number(options.releaseId), tag: options.tag }),
  });
  const parsed = SubmitRequest.safeParse(input);
  if (!parsed.success) throw new UsageError(problemLines(problemsOf(parsed.error, input)).join('\n'));
  return parsed.data;
}

function withoutUndefined(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
