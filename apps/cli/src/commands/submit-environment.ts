import { DispatchRequest, problemsOf } from '@assay/contracts';
import { ExitError, UsageError } from '../output';
import { requireResources } from './submit-resources';
import { numberOf, problemLine, RANGES, withoutUndefined } from './submit-options';

/** What the environment of qwen-code's dispatch script says. */
export interface Environment {
  readonly body: DispatchRequest;
  readonly idempotencyKey: string;
  /** What a run by it must find at the server: the text of each refusal is the script's. */
  readonly manifests: readonly WantedManifest[];
}

/** The whole benchmark that a run takes its instances from. */
export interface WantedManifest {
  readonly suite: string;
  readonly size: number;
  readonly limit: number;
  readonly instanceId: string | null;
  readonly wrongSize: (found: number) => string;
  readonly unknown: (id: string) => string;
}

type Variables = Readonly<Record<string, string | undefined>>;

const REQUIRED = [
  'RELEASE_TAG',
  'RELEASE_ID',
  'QWEN_REF',
  'QWEN_COMMIT',
  'INSTANCE_LIMIT',
  'BENCHMARK_IDEMPOTENCY_KEY',
  'GITHUB_REPOSITORY',
] as const;

const BACKENDS: Readonly<Record<string, string>> = {
  harbor: 'dsw_release_swe_verified_v1',
  'eas-harbor': 'dsw_release_swe_verified_v1',
  'eas-smoke': 'eas_smoke',
};

/** Which variable a field of the body comes from. */
const VARIABLES: Readonly<Record<string, string>> = {
  repository: 'GITHUB_REPOSITORY',
  releaseTag: 'RELEASE_TAG',
  releaseId: 'RELEASE_ID',
  evaluatedRef: 'QWEN_REF',
  commit: 'QWEN_COMMIT',
  instanceId: 'BENCHMARK_INSTANCE_ID',
  chainInstanceId: 'TERMINAL_BENCH_INSTANCE_ID',
  backoffSeconds: 'BENCHMARK_RETRY_BACKOFF_SECONDS',
  model: 'OPENAI_MODEL',
  githubRunUrl: 'GITHUB_RUN_URL',
};

/**
 * Reads a release by the names, defaults, checks and texts of qwen-code's dispatch-release-benchmark.sh (and of the script
 * that writes its manifests), so that a caller of that script can call this in its place.
 * @throws ExitError 1 for a variable that is missing, 2 for a wrong one; UsageError for what the script leaves to others
 */
export function environmentOf(variables: Variables): Environment {
  const given = (name: string): string | undefined => (variables[name] === '' ? undefined : variables[name]);
  for (const name of REQUIRED) {
    if (given(name) === undefined) throw new ExitError(1, `${name}: parameter null or not set`);
  }
  const limit = whole(given('INSTANCE_LIMIT'), 1, 500, 'INSTANCE_LIMIT must be between 1 and 500');
  const chainText = given('TERMINAL_BENCH_LIMIT') ?? '89';
  refuseUnless(['1', '89'].includes(chainText), 'TERMINAL_BENCH_LIMIT must be 1 or 89');
  const chainLimit = Number(chainText);
  const chainInstance = given('TERMINAL_BENCH_INSTANCE_ID');
  refuseUnless(
    chainInstance === undefined || chainLimit === 1,
    'TERMINAL_BENCH_INSTANCE_ID requires TERMINAL_BENCH_LIMIT=1',
  );
  const attempts = given('BENCHMARK_MAX_ATTEMPTS') ?? '4';
  const maxAttempts = whole(attempts, 1, 8, 'BENCHMARK_MAX_ATTEMPTS must be between 1 and 8');
  const backoffSeconds = whole(
    given('BENCHMARK_RETRY_BACKOFF_SECONDS') ?? '60',
    0,
    Number.MAX_SAFE_INTEGER,
    'BENCHMARK_RETRY_BACKOFF_SECONDS must be a non-negative integer',
  );
  const backend = given('BENCHMARK_EXECUTION_BACKEND') ?? 'harbor';
  const suite = Object.hasOwn(BACKENDS, backend) ? BACKENDS[backend] : undefined;
  refuseUnless(suite !== undefined, 'BENCHMARK_EXECUTION_BACKEND must be harbor, eas-harbor, or eas-smoke');
  requireResources(given, backend);
  const instance = given('BENCHMARK_INSTANCE_ID');
  refuseUnless(instance === undefined || limit === 1, '--instance-id requires --limit 1');

  // Nothing follows a check of infrastructure.
  const alone = backend === 'eas-smoke';
  const input = withoutUndefined({
    schemaVersion: 'assay.release-request/1',
    event: 'manual',
    repository: given('GITHUB_REPOSITORY'),
    releaseTag: given('RELEASE_TAG'),
    releaseId: numberOf('releaseId', given('RELEASE_ID')),
    evaluatedRef: given('QWEN_REF'),
    commit: given('QWEN_COMMIT'),
    suite,
    limit,
    instanceId: instance,
    ...(alone ? {} : { chainLimit, chainInstanceId: chainInstance }),
    ...{ maxAttempts, backoffSeconds, model: given('OPENAI_MODEL'), githubRunUrl: given('GITHUB_RUN_URL') },
  });
  const parsed = DispatchRequest.safeParse(input);
  if (!parsed.success) {
    const lines = problemsOf(parsed.error, input).map(({ field, value, expected }) => {
      const range = Object.hasOwn(RANGES, field) ? (field as keyof typeof RANGES) : undefined;
      return problemLine(VARIABLES[field] ?? field, expected, value, range);
    });
    throw new UsageError(lines.join('\n'));
  }
  return {
    body: parsed.data,
    idempotencyKey: given('BENCHMARK_IDEMPOTENCY_KEY') ?? '',
    manifests: [
      {
        ...{ suite, size: 500, limit, instanceId: instance ?? null },
        wrongSize: (found) => `Expected exactly 500 SWE-bench Verified instances, found ${found}`,
        unknown: (id) => `Unknown SWE-bench Verified instance: ${id}`,
      },
      ...(alone ? [] : [terminalBench(chainLimit, chainInstance ?? null)]),
    ],
  };
}

function terminalBench(limit: number, instanceId: string | null): WantedManifest {
  return {
    ...{ suite: 'terminal_bench_2', size: 89, limit, instanceId },
    wrongSize: (found) => `expected 89 Terminal-Bench 2.0 tasks, found ${found}`,
    unknown: (id) => `Unknown Terminal-Bench 2.0 task: ${id}`,
  };
}

function whole(text: string | undefined, low: number, high: number, refusal: string): number {
  const value = /^\d{1,15}$/.test(text ?? '') ? Number(text) : -1;
  refuseUnless(value >= low && value <= high, refusal);
  return value;
}

/** The script's exit code for what it refuses. */
export function refuseUnless(holds: boolean, refusal: string): asserts holds {
  if (!holds) throw new ExitError(2, refusal);
}
