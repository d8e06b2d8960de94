import { problemsOf, SubmitRequest, type Problem } from '@assay/contracts';
import { numberWithin, rangeText, type NumberRange } from '../number-option';
import { UsageError } from '../output';

/** The options of `assay submit` that make its body, as the command line gives them. */
export interface RequestOptions {
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
}

/** The bounds of the body's numbers (SubmitRequest), for a message in the user's terms. */
const RANGES: Readonly<Record<string, NumberRange>> = {
  limit: { low: 1, high: 100_000, whole: true },
  maxAttempts: { low: 1, high: 8, whole: true },
  backoffSeconds: { low: 0, high: 3_600, whole: false },
  'release.id': { low: 1, high: Number.MAX_SAFE_INTEGER, whole: true },
};

/** Which option a field of the body comes from. */
const OPTIONS: Readonly<Record<string, string>> = {
  suite: '--suite',
  'evaluated.ref': '--ref',
  'evaluated.commit': '--commit',
  'evaluated.packageVersion': '--package-version',
  model: '--model',
  agent: '--agent',
  limit: '--limit',
  instanceId: '--instance',
  maxAttempts: '--max-attempts',
  backoffSeconds: '--backoff',
  'release.repository': '--repository',
  'release.id': '--release-id',
  'release.tag': '--tag',
  trigger: '--trigger',
  githubRunUrl: '--run-url',
};

/** The request that the options make. Throws UsageError with a line for every wrong option: name, expectation, value. */
export function requestOf(options: RequestOptions): SubmitRequest {
  const release = { repository: options.repository, id: number('release.id', options.releaseId), tag: options.tag };
  const input = withoutUndefined({
    suite: options.suite,
    evaluated: { ref: options.ref, commit: options.commit, packageVersion: options.packageVersion },
    model: options.model,
    agent: options.agent,
    limit: number('limit', options.limit),
    instanceId: options.instance,
    maxAttempts: number('maxAttempts', options.maxAttempts),
    backoffSeconds: number('backoffSeconds', options.backoff),
    trigger: options.trigger,
    githubRunUrl: options.runUrl,
    release: Object.values(release).every((part) => part === undefined) ? undefined : withoutUndefined(release),
  });
  const parsed = SubmitRequest.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new UsageError(problemsOf(parsed.error, input).map(lineOf).join('\n'));
}

/** A text that is no number of the field's range stays as it is: the schema refuses it, with the others. */
function number(field: string, text: string | undefined): number | string | undefined {
  const range = RANGES[field];
  return text === undefined || range === undefined ? text : (numberWithin(text, range) ?? text);
}

function lineOf({ field, value, expected }: Problem): string {
  const option = OPTIONS[field] ?? field;
  if (value === undefined) return `${option}: expected too, because a release is --repository, --release-id and --tag`;
  const range = RANGES[field];
  return `${option}: ${range === undefined ? expected : rangeText(range)}, got ${JSON.stringify(value)}`;
}

function withoutUndefined(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
