import type { Command } from 'commander';
import type { ConnectionOptions } from '../connection';
import { numberWithin, rangeText, type NumberRange } from '../number-option';

/** The options of `assay submit`, as the command line gives them. */
export interface SubmitOptions extends ConnectionOptions {
  readonly release?: string;
  readonly fromEnv?: boolean;
  readonly suite?: string;
  readonly ref?: string;
  readonly commit?: string;
  readonly packageVersion?: string;
  readonly model?: string;
  readonly agent?: string;
  readonly limit?: string;
  readonly instance?: string;
  readonly chainLimit?: string;
  readonly chainInstance?: string;
  readonly maxAttempts?: string;
  readonly backoff?: string;
  readonly repository?: string;
  readonly releaseId?: string;
  readonly tag?: string;
  readonly trigger?: string;
  readonly runUrl?: string;
  readonly idempotencyKey?: string;
  readonly receipt?: string;
}

export function withSubmitOptions(command: Command): Command {
  return command
    .option('--release <tag>', 'a published release, by its tag: the policy says what is run')
    .option('--from-env', "take the release from the environment, by the names of qwen-code's dispatch script")
    .option('--suite <name>', 'suite to run (with --release: one that the policy offers)')
    .option('--ref <ref>', 'evaluated git ref, e.g. v1.2.0 (with --release: default is its tag)')
    .option('--commit <sha>', 'its commit, 40 hexadecimal digits; another one fails the run')
    .option('--package-version <version>', 'the package version of the agent (default: what the ref names)')
    .option('--model <name>', "model name (with --release: default is the server's)")
    .option('--agent <name>', "agent, in place of the suite's")
    .option('--limit <k>', 'only the first k instances, from 1')
    .option('--instance <id>', 'only this instance')
    .option('--chain-limit <k>', 'with --release: only the first k instances of the suite that follows')
    .option('--chain-instance <id>', 'with --release: only this instance of it')
    .option('--max-attempts <n>', 'trials at most, 1 to 8 (default 4)')
    .option('--backoff <seconds>', 'wait after the first failed trial, 0 to 3600 (default 60)')
    .option('--repository <owner/name>', 'repository of the release')
    .option('--release-id <id>', 'numeric id of the release; with --release, another one is refused')
    .option('--tag <tag>', 'without --release: tag of the release to write to')
    .option(
      '--trigger <kind>',
      'without --release: release, workflow_dispatch or manual (default: manual); a service token takes manual alone',
    )
    .option('--run-url <url>', "the Actions run's address")
    .option('--idempotency-key <key>', 'the same key is the same run (default: a new one)')
    .option('--receipt <file>', 'write the answer as JSON into this file, too');
}

/** The bounds of a body's numbers, for a message in the user's terms. */
export const RANGES = {
  limit: { low: 1, high: 100_000, whole: true },
  chainLimit: { low: 1, high: 100_000, whole: true },
  maxAttempts: { low: 1, high: 8, whole: true },
  backoffSeconds: { low: 0, high: 3_600, whole: false },
  releaseId: { low: 1, high: Number.MAX_SAFE_INTEGER, whole: true },
} as const satisfies Record<string, NumberRange>;

/** A text that is no number of the range stays as it is: the schema refuses it, with the others. */
export function numberOf(range: keyof typeof RANGES, text: string | undefined): number | string | undefined {
  return text === undefined ? undefined : (numberWithin(text, RANGES[range]) ?? text);
}

/** `--limit: expected a whole number from 1 to 8, got "x"` */
export function problemLine(option: string, expected: string, value: unknown, range?: keyof typeof RANGES): string {
  return `${option}: ${range === undefined ? expected : rangeText(RANGES[range])}, got ${JSON.stringify(value)}`;
}

export function withoutUndefined(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
