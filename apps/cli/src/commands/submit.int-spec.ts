import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Receipt } from '@assay/contracts';
import { assay, type Ended, ScriptedDispatcher, TOKEN } from './harness/submit-bench';

const COMMIT = 'a'.repeat(40);
let dir: string;
let dispatcher: ScriptedDispatcher;
let connection: Record<string, string>;

const ids = (count: number, name: string) => Array.from({ length: count }, (_, at) => `${name}-${at}`);
const receipt = {
  ...{ schemaVersion: 'assay.receipt/1', status: 'WAITING', runId: 'run-1', runUrl: '/v1/runs/run-1' },
  ...{ deduplicated: false, releaseTag: 'v1.2.0', evaluatedRef: 'v1.2.0', commit: null, rule: 'by-hand' },
  ...{ suite: 'dsw_release_swe_verified_v1', expectedInstances: 500 },
  chain: [{ suite: 'terminal_bench_2', status: 'PENDING', expectedInstances: 89 }],
};

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'assay-submit-'));
  await writeFile(join(dir, 'token'), TOKEN, { mode: 0o600 });
  dispatcher = await ScriptedDispatcher.start();
  connection = { ASSAY_URL: dispatcher.url, ASSAY_API_TOKEN_FILE: join(dir, 'token') };
});
beforeEach(() => {
  dispatcher.asked.length = 0;
  dispatcher.reply = { status: 202, body: receipt };
  dispatcher.suites.set('dsw_release_swe_verified_v1', ids(500, 'astropy__astropy'));
  dispatcher.suites.set('terminal_bench_2', ids(89, 'regex-log'));
});
afterAll(async () => {
  await dispatcher.stop();
  await rm(dir, { recursive: true, force: true });
});

const RESOURCES = [
  ...['DSW_POOL_ROOT', 'POOL_BIN', 'POOL_PYTHON', 'SWE_VERIFIED_DATASET_ROOT'],
  ...['EAS_TEMPLATE_MANIFEST', 'ACR_IMAGE_MANIFEST', 'ACR_IMAGE_STATE_DIR'],
];
const environment = {
  RELEASE_TAG: 'v1.2.0',
  RELEASE_ID: '7',
  QWEN_REF: 'v1.2.0',
  QWEN_COMMIT: COMMIT,
  INSTANCE_LIMIT: '500',
  BENCHMARK_IDEMPOTENCY_KEY: 'dsw-release-v1-42',
  GITHUB_REPOSITORY: 'QwenLM/qwen-code',
};
const fromEnv = (over: Record<string, string> = {}, uid?: number): Promise<Ended> =>
  assay(['submit', '--from-env'], { ...environment, ...connection, ...over }, uid);

describe('assay submit --from-env stands in for the dispatch script', () => {
  test('takes its environment, hands the release in, and tells the workflow', async () => {
    const output = join(dir, 'github-output');
    const ended = await fromEnv({
      ...{ OPENAI_MODEL: 'm', GITHUB_RUN_URL: 'https://example.org/runs/1', GITHUB_OUTPUT: output },
      ...{ TERMINAL_BENCH_LIMIT: '1', TERMINAL_BENCH_INSTANCE_ID: 'regex-log-3', BENCHMARK_MAX_ATTEMPTS: '2' },
    });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout.split('\n').slice(0, 4)).toEqual([
      'run-1 is WAITING',
      'release v1.2.0, evaluated v1.2.0, by the rule by-hand: dsw_release_swe_verified_v1, 500 instances',
      'then terminal_bench_2, 89 instances',
      `${dispatcher.url}/v1/runs/run-1`,
    ]);
    expect(dispatcher.asked.at(-1)).toEqual({
      method: 'POST',
      path: '/v1/releases',
      key: 'dsw-release-v1-42',
      body: {
        ...{ schemaVersion: 'assay.release-request/1', event: 'manual', repository: 'QwenLM/qwen-code' },
        ...{ releaseTag: 'v1.2.0', releaseId: 7, evaluatedRef: 'v1.2.0', commit: COMMIT },
        ...{ suite: 'dsw_release_swe_verified_v1', limit: 500, chainLimit: 1, chainInstanceId: 'regex-log-3' },
        ...{ maxAttempts: 2, backoffSeconds: 60, model: 'm', githubRunUrl: 'https://example.org/runs/1' },
      },
    });
    expect(await readFile(output, 'utf8')).toBe('run_id=run-1\nstatus=WAITING\n');
  });

  test('tries infrastructure alone by the backend eas-smoke: nothing follows it, and nothing of what would is wanted', async () => {
    dispatcher.suites.delete('terminal_bench_2');
    dispatcher.suites.delete('dsw_release_swe_verified_v1');
    dispatcher.suites.set('eas_smoke', ids(500, 'astropy__astropy'));
    expect(await fromEnv({ BENCHMARK_EXECUTION_BACKEND: 'eas-smoke', INSTANCE_LIMIT: '1' })).toMatchObject({ code: 0 });
    expect(dispatcher.asked.map(({ path }) => path)).toEqual(['/v1/suites/eas_smoke/instances', '/v1/releases']);
    expect(dispatcher.asked.at(-1)?.body).toMatchObject({ suite: 'eas_smoke', limit: 1 });
    expect(dispatcher.asked.at(-1)?.body).not.toHaveProperty('chainLimit');
  });

  test.each([
    [{ TERMINAL_BENCH_LIMIT: '5' }, 'TERMINAL_BENCH_LIMIT must be 1 or 89'],
    [{ BENCHMARK_INSTANCE_ID: 'ghost__ghost-1' }, 'Unknown SWE-bench Verified instance: ghost__ghost-1'],
  ])('but is as strict as ever about the rest: %j', async (over, message) => {
    dispatcher.suites.set('eas_smoke', ids(500, 'astropy__astropy'));
    const ended = await fromEnv({ BENCHMARK_EXECUTION_BACKEND: 'eas-smoke', INSTANCE_LIMIT: '1', ...over });
    expect(ended).toEqual({ code: 2, stdout: '', stderr: `${message}\n` });
  });

  test.each(Object.keys(environment))('without %s ends with 1, as ${%s:?} does', async (name) => {
    const missing = { code: 1, stdout: '', stderr: `${name}: parameter null or not set\n` };
    expect(await fromEnv({ [name]: '' })).toEqual(missing);
    const others = Object.entries(environment).filter(([other]) => other !== name);
    expect(await assay(['submit', '--from-env'], { ...Object.fromEntries(others), ...connection })).toEqual(missing);
    expect(dispatcher.asked).toEqual([]);
  });

  const instances = 'INSTANCE_LIMIT must be between 1 and 500';
  const attempts = 'BENCHMARK_MAX_ATTEMPTS must be between 1 and 8';
  const backoff = 'BENCHMARK_RETRY_BACKOFF_SECONDS must be a non-negative integer';
  test.each<[Record<string, string>, string]>([
    [{ INSTANCE_LIMIT: '0' }, instances],
    [{ INSTANCE_LIMIT: '501' }, instances],
    [{ INSTANCE_LIMIT: 'all' }, instances],
    [{ INSTANCE_LIMIT: '-1' }, instances],
    [{ INSTANCE_LIMIT: '0x10' }, instances],
    ...['5', '0x59', '89.0'].map((limit): [Record<string, string>, string] => [
      { TERMINAL_BENCH_LIMIT: limit },
      'TERMINAL_BENCH_LIMIT must be 1 or 89',
    ]),
    [{ TERMINAL_BENCH_INSTANCE_ID: 'regex-log' }, 'TERMINAL_BENCH_INSTANCE_ID requires TERMINAL_BENCH_LIMIT=1'],
    [{ BENCHMARK_MAX_ATTEMPTS: '0' }, attempts],
    [{ BENCHMARK_MAX_ATTEMPTS: '9' }, attempts],
    [{ BENCHMARK_RETRY_BACKOFF_SECONDS: '-1' }, backoff],
    [{ BENCHMARK_RETRY_BACKOFF_SECONDS: '1.5' }, backoff],
    [{ BENCHMARK_RETRY_BACKOFF_SECONDS: 'soon' }, backoff],
    [{ BENCHMARK_MAX_ATTEMPTS: 'x' }, attempts],
    // The script leaves these to others; they are named by their variables.
    [
      { BENCHMARK_RETRY_BACKOFF_SECONDS: '3601' },
      'BENCHMARK_RETRY_BACKOFF_SECONDS: expected a number from 0 to 3600, got 3601',
    ],
    ...['0', 'seven', '0x7'].map((id): [Record<string, string>, string] => [
      { RELEASE_ID: id },
      `RELEASE_ID: expected a whole number from 1, got ${JSON.stringify(id)}`,
    ]),
    [{ QWEN_COMMIT: 'main' }, 'QWEN_COMMIT: expected 40 lower-case hexadecimal digits, got "main"'],
    [
      { GITHUB_OUTPUT: '/nowhere/output' },
      'GITHUB_OUTPUT: expected a file that can be written, but /nowhere/output is in a folder that is not there',
    ],
    [{ BENCHMARK_EXECUTION_BACKEND: 'docker' }, 'BENCHMARK_EXECUTION_BACKEND must be harbor, eas-harbor, or eas-smoke'],
    [
      { BENCHMARK_EXECUTION_BACKEND: 'constructor' },
      'BENCHMARK_EXECUTION_BACKEND must be harbor, eas-harbor, or eas-smoke',
    ],
    ...RESOURCES.map((name): [Record<string, string>, string] => [
      { [name]: `/nowhere/${name}` },
      `Required DSW resource is missing: /nowhere/${name}`,
    ]),
    [{ ASSAY_CACHE_DIR: '/nowhere/cache' }, '::error::Benchmark cache directory is missing: /nowhere/cache'],
    [{ BENCHMARK_INSTANCE_ID: 'astropy__astropy-1' }, '--instance-id requires --limit 1'],
  ])('with %j ends with 2 and the text of the script, and hands nothing in', async (over, message) => {
    expect(await fromEnv(over)).toEqual({ code: 2, stdout: '', stderr: `${message}\n` });
    expect(dispatcher.asked).toEqual([]);
  });

  test('with a cache that it may not write ends with 2, naming who it is', async () => {
    const cache = await mkdtemp(join(dir, 'cache-'));
    await chmod(cache, 0o555);
    await chmod(dir, 0o755);
    // The owner of everything may write everywhere: somebody else is needed.
    const uid = process.getuid?.() === 0 ? 65_534 : undefined;
    const { code, stderr } = await fromEnv({ ASSAY_CACHE_DIR: cache }, uid);
    expect(code).toBe(2);
    expect(stderr).toMatch(new RegExp(`^::error::Benchmark cache directory is not writable by \\S+: ${cache}\n$`));
  });

  test.each<[string, () => void, Record<string, string>, string]>([
    [
      'too few instances',
      () => dispatcher.suites.set('dsw_release_swe_verified_v1', ids(499, 'a__b')),
      {},
      'Expected exactly 500 SWE-bench Verified instances, found 499',
    ],
    [
      'no such instance',
      () => undefined,
      { INSTANCE_LIMIT: '1', BENCHMARK_INSTANCE_ID: 'ghost__ghost-1' },
      'Unknown SWE-bench Verified instance: ghost__ghost-1',
    ],
    [
      'too few tasks',
      () => dispatcher.suites.set('terminal_bench_2', ids(88, 't')),
      {},
      'expected 89 Terminal-Bench 2.0 tasks, found 88',
    ],
    [
      'no such task',
      () => undefined,
      { TERMINAL_BENCH_LIMIT: '1', TERMINAL_BENCH_INSTANCE_ID: 'ghost' },
      'Unknown Terminal-Bench 2.0 task: ghost',
    ],
  ])('where the server has %s ends with 2, and hands nothing in', async (_, arrange, over, message) => {
    arrange();
    expect(await fromEnv(over)).toEqual({ code: 2, stdout: '', stderr: `${message}\n` });
    expect(dispatcher.asked.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  test.each<[string, unknown, string]>([
    ['no JSON', '<html>', 'pool submit returned invalid JSON'],
    ['no run', {}, 'pool submit response is missing a non-empty run_id'],
    ['an empty run', { runId: '' }, 'pool submit response is missing a non-empty run_id'],
    ['a run of another name', { runId: '../run' }, 'pool submit returned an invalid run_id'],
  ])('where the server answers %s ends with 1', async (_, body, message) => {
    dispatcher.reply = { status: 202, body };
    expect(await fromEnv()).toEqual({ code: 1, stdout: '', stderr: `${message}\n` });
  });

  test('beside an option that the environment stands for ends with 2', async () => {
    const ended = await assay(['submit', '--from-env', '--chain-limit', '1'], { ...environment, ...connection });
    expect(ended).toMatchObject({
      code: 2,
      stderr: '--chain-limit: expected none with --from-env, which takes the release from the environment\n',
    });
  });
});

describe('assay submit --release', () => {
  const submit = (...args: string[]) =>
    assay(['submit', '--release', 'v1.2.0', '--repository', 'QwenLM/qwen-code', ...args], connection);

  test('hands the release in by hand, and keeps the receipt', async () => {
    const file = join(dir, 'receipt.json');
    const ended = await submit('--ref', 'v1.1.9', '--instance', 'a__b-1', '--chain-limit', '1', '--receipt', file);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    const [asked] = dispatcher.asked;
    expect(asked?.key).toMatch(/^cli-/);
    expect(asked?.body).toEqual({
      ...{ schemaVersion: 'assay.release-request/1', event: 'manual', repository: 'QwenLM/qwen-code' },
      ...{ releaseTag: 'v1.2.0', evaluatedRef: 'v1.1.9', limit: 1, instanceId: 'a__b-1', chainLimit: 1 },
    });
    const kept = Receipt.parse(JSON.parse(await readFile(file, 'utf8')));
    expect(kept).toEqual({ ...receipt, runUrl: `${dispatcher.url}/v1/runs/run-1` });
  });

  test('that is skipped is done, and says why', async () => {
    const reason = 'no rule takes it';
    dispatcher.reply = {
      status: 200,
      body: { schemaVersion: 'assay.receipt/1', status: 'SKIPPED', rule: null, reason },
    };
    expect(await submit()).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^skipped: no rule takes it\n/) as string,
    });
  });

  test('with wrong options names each of them, and hands nothing in', async () => {
    const { code, stderr } = await submit('--tag', 'v1', '--limit', 'many', '--commit', 'main');
    expect(code).toBe(2);
    expect(stderr.split('\n')).toEqual([
      '--tag: expected none with --release',
      '--limit: expected a whole number from 1 to 100000, got "many"',
      '--commit: expected 40 lower-case hexadecimal digits, got "main"',
      '',
    ]);
    expect(dispatcher.asked).toEqual([]);
  });

  test.each([
    [['--instance', 'a', '--limit', '5'], '--instance: expected none, or --limit 1 with it, got --limit "5"'],
    [
      ['--receipt', '/nowhere/r.json'],
      '--receipt: expected a file that can be written, but /nowhere/r.json is in a folder that is not there',
    ],
  ])('with %j ends with 2', async (args, message) => {
    expect(await submit(...args)).toEqual({ code: 2, stdout: '', stderr: `${message}\n` });
    expect(dispatcher.asked).toEqual([]);
  });

  test('without a repository ends with 2', async () => {
    expect(await assay(['submit', '--release', 'v1'], connection)).toMatchObject({
      code: 2,
      stderr: '--repository: expected too, because a tag is one of a repository (owner/name)\n',
    });
  });

  test('that the server refuses ends with 1 and what the server said', async () => {
    const problem = { field: 'releaseTag', value: 'v1.2.0', expected: 'expected the tag of a published release' };
    const body = { statusCode: 422, error: 'Unprocessable Entity', message: 'there is none', errors: [problem] };
    dispatcher.reply = { status: 422, body };
    expect(await submit()).toMatchObject({
      code: 1,
      stderr: 'there is none\n  releaseTag: expected the tag of a published release, got "v1.2.0"\n',
    });
  });
});
