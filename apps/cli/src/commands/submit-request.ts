import { problemsOf, SubmitRequest, type Problem } from '@assay/contracts';
import { UsageError } from '../output';
import { numberOf, problemLine, RANGES, type SubmitOptions, withoutUndefined } from './submit-options';

/** Which option a field of the body comes from, and its bounds where it is a number. */
const OPTIONS: Readonly<Record<string, readonly [option: string, range?: keyof typeof RANGES]>> = {
  suite: ['--suite'],
  'evaluated.ref': ['--ref'],
  'evaluated.commit': ['--commit'],
  'evaluated.packageVersion': ['--package-version'],
  model: ['--model'],
  agent: ['--agent'],
  limit: ['--limit', 'limit'],
  instanceId: ['--instance'],
  maxAttempts: ['--max-attempts', 'maxAttempts'],
  backoffSeconds: ['--backoff', 'backoffSeconds'],
  'release.repository': ['--repository'],
  'release.id': ['--release-id', 'releaseId'],
  'release.tag': ['--tag'],
  trigger: ['--trigger'],
  githubRunUrl: ['--run-url'],
};

/**
 * The run that the options describe themselves, without --release. Throws UsageError with a line for every wrong option:
 * name, expectation, value.
 */
export function requestOf(options: SubmitOptions): SubmitRequest {
  const foreign = (['chainLimit', 'chainInstance'] as const).filter((name) => options[name] !== undefined);
  const [first] = foreign;
  if (first !== undefined) {
    throw new UsageError(
      `${first === 'chainLimit' ? '--chain-limit' : '--chain-instance'}: expected none without --release`,
    );
  }
  const release = { repository: options.repository, id: numberOf('releaseId', options.releaseId), tag: options.tag };
  const evaluated = { ref: options.ref, commit: options.commit, packageVersion: options.packageVersion };
  const input = withoutUndefined({
    suite: options.suite,
    evaluated: withoutUndefined(evaluated),
    model: options.model,
    agent: options.agent,
    limit: numberOf('limit', options.limit),
    instanceId: options.instance,
    maxAttempts: numberOf('maxAttempts', options.maxAttempts),
    backoffSeconds: numberOf('backoffSeconds', options.backoff),
    trigger: options.trigger ?? 'manual',
    githubRunUrl: options.runUrl,
    release: Object.values(release).every((part) => part === undefined) ? undefined : withoutUndefined(release),
  });
  const parsed = SubmitRequest.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new UsageError(problemsOf(parsed.error, input).map(lineOf).join('\n'));
}

function lineOf({ field, value, expected }: Problem): string {
  const [option, range] = OPTIONS[field] ?? [field];
  if (value !== undefined) return problemLine(option, expected, value, range);
  if (field.startsWith('release.')) {
    return `${option}: expected too, because a release is --repository, --release-id and --tag`;
  }
  return field === 'evaluated.commit'
    ? `${option}: expected too, because without a release nothing says whose ref it is`
    : `${option}: expected too, because without --release a run is described by --suite, --ref, --commit and --model`;
}
