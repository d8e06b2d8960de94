import { DispatchRequest, problemsOf, type Problem } from '@assay/contracts';
import { UsageError } from '../output';
import { numberOf, problemLine, RANGES, type SubmitOptions, withoutUndefined } from './submit-options';

/** Which option a field of the body comes from, and its bounds where it is a number. */
const OPTIONS: Readonly<Record<string, readonly [option: string, range?: keyof typeof RANGES]>> = {
  repository: ['--repository'],
  releaseTag: ['--release'],
  evaluatedRef: ['--ref'],
  suite: ['--suite'],
  limit: ['--limit', 'limit'],
  instanceId: ['--instance'],
  chainLimit: ['--chain-limit', 'chainLimit'],
  chainInstanceId: ['--chain-instance'],
  model: ['--model'],
  githubRunUrl: ['--run-url'],
  releaseId: ['--release-id', 'releaseId'],
  commit: ['--commit'],
  maxAttempts: ['--max-attempts', 'maxAttempts'],
  backoffSeconds: ['--backoff', 'backoffSeconds'],
};

/** Options that describe a run, which a release has from the policy and from GitHub. */
const DESCRIBING = [
  ['tag', '--tag'],
  ['packageVersion', '--package-version'],
  ['agent', '--agent'],
  ['trigger', '--trigger'],
] as const;

/**
 * The release that the options name: what the Action hands in, by hand. Throws UsageError with a line for every wrong
 * option.
 */
export function releaseRequestOf(options: SubmitOptions): DispatchRequest {
  const describing = DESCRIBING.filter(([name]) => options[name] !== undefined);
  const limit = oneOf('--limit', options.limit, '--instance', options.instance);
  const chainLimit = oneOf('--chain-limit', options.chainLimit, '--chain-instance', options.chainInstance);
  const input = withoutUndefined({
    schemaVersion: 'assay.release-request/1',
    event: 'manual',
    repository: options.repository,
    releaseTag: options.release,
    evaluatedRef: options.ref,
    suite: options.suite,
    limit: numberOf('limit', limit),
    instanceId: options.instance,
    chainLimit: numberOf('chainLimit', chainLimit),
    chainInstanceId: options.chainInstance,
    model: options.model,
    githubRunUrl: options.runUrl,
    releaseId: numberOf('releaseId', options.releaseId),
    commit: options.commit,
    maxAttempts: numberOf('maxAttempts', options.maxAttempts),
    backoffSeconds: numberOf('backoffSeconds', options.backoff),
  });
  const parsed = DispatchRequest.safeParse(input);
  const lines = [
    ...describing.map(([, option]) => `${option}: expected none with --release`),
    ...(parsed.success ? [] : problemsOf(parsed.error, input).map(lineOf)),
  ];
  if (!parsed.success || lines.length > 0) throw new UsageError(lines.join('\n'));
  return parsed.data;
}

/** Who names an instance wants that one, whatever the server's limit is. */
function oneOf(
  limitOption: string,
  limit: string | undefined,
  option: string,
  instance: string | undefined,
): string | undefined {
  if (instance === undefined) return limit;
  if (limit === undefined || limit === '1') return '1';
  throw new UsageError(
    `${option}: expected none, or ${limitOption} 1 with it, got ${limitOption} ${JSON.stringify(limit)}`,
  );
}

function lineOf({ field, value, expected }: Problem): string {
  const [option, range] = OPTIONS[field] ?? [field];
  if (value !== undefined) return problemLine(option, expected, value, range);
  return `${option}: expected too, because a tag is one of a repository (owner/name)`;
}
