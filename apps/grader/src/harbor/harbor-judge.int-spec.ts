import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GradingBench } from '../harness/grading-bench';
import { FOREIGN_PATCH, GOOD_PATCH, greetingTask, taskWithTest, WRONG_PATCH } from '../harness/greeting-task';

/** A zombie that nobody reaps runs no more. */
function isRunning(pid: string): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid.trim()}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

let bench: GradingBench;
beforeAll(async () => {
  bench = await GradingBench.open('process');
});
afterAll(async () => {
  expect(await bench.left()).toEqual([]);
  await bench.close();
});

describe('a verdict', () => {
  test('is RESOLVED for a patch that passes, with log and report', async () => {
    const result = await bench.harbor(greetingTask(), { patch: GOOD_PATCH });
    expect(result.outcome).toMatchObject({
      kind: 'graded',
      verdict: 'RESOLVED',
      reward: 1,
      suspicions: [],
      imageId: 'process',
    });
    expect(await bench.content(result, 'grade_log')).toBe('testing hello world\n');
    expect(JSON.parse((await bench.content(result, 'report')) ?? '')).toMatchObject({
      instance_id: 'sample-task',
      resolved: true,
      reward_file: 'reward.txt',
      exit_code: 0,
    });
  });

  test('is UNRESOLVED for a patch that does not', async () => {
    const { outcome } = await bench.harbor(greetingTask(), { patch: WRONG_PATCH });
    expect(outcome).toMatchObject({ kind: 'graded', verdict: 'UNRESOLVED', reward: 0 });
  });

  test('is UNRESOLVED without a sandbox for no patch and for an empty one', async () => {
    for (const patch of [null, '']) {
      const { outcome, artifacts } = await bench.harbor(greetingTask(), { patch });
      expect(outcome).toMatchObject({ kind: 'graded', verdict: 'UNRESOLVED', imageId: null });
      expect(artifacts).toEqual([]);
    }
  });

  test('is UNRESOLVED for a reward below 1, whatever the exit code', async () => {
    const { outcome } = await bench.harbor(taskWithTest('echo 0.5 > "$v/reward.txt"; exit 1'), { patch: GOOD_PATCH });
    expect(outcome).toMatchObject({ kind: 'graded', verdict: 'UNRESOLVED', reward: 0.5 });
  });

  test('comes from reward.json too', async () => {
    const task = taskWithTest(`echo '{"reward": 1.0}' > "$v/reward.json"`);
    expect((await bench.harbor(task, { patch: GOOD_PATCH })).outcome).toMatchObject({ verdict: 'RESOLVED' });
  });

  test('carries what is suspicious about the patch', async () => {
    const patch = `${GOOD_PATCH}diff --git a/conftest.py b/conftest.py\nnew file mode 100644\n--- /dev/null\n+++ b/conftest.py\n@@ -0,0 +1 @@\n+x = 1\n`;
    const { outcome } = await bench.harbor(greetingTask(), { patch });
    expect(outcome).toMatchObject({ verdict: 'RESOLVED', suspicions: ['test_configuration_in_patch'] });
  });
});

describe('a typed failure', () => {
  test.each([
    ['reward_missing', 'true'],
    ['reward_two_files', 'echo 1 > "$v/reward.txt"; echo "{}" > "$v/reward.json"'],
    ['reward_empty', ': > "$v/reward.txt"'],
    ['reward_not_a_number', 'echo nan > "$v/reward.txt"'],
    ['reward_not_a_number', 'echo "{\\"a\\": 1, \\"b\\": 1}" > "$v/reward.json"'],
    ['reward_out_of_range', 'echo 7 > "$v/reward.txt"'],
    ['reward_not_a_file', 'mkdir "$v/reward.txt"'],
    ['reward_not_a_file', 'echo 1 > "$v/other"; ln -s other "$v/reward.txt"'],
    ['reward_too_large', 'head -c 70000 /dev/zero | tr "\\0" 1 > "$v/reward.txt"'],
    ['tests_exit_nonzero', 'echo 1 > "$v/reward.txt"; exit 3'],
  ])('%s: %s', async (code, script) => {
    const { outcome } = await bench.harbor(taskWithTest(script), { patch: GOOD_PATCH });
    expect(outcome).toMatchObject({ kind: 'failed', failure: { blame: 'task', code, phase: 'grade' } });
  });

  test('tests_timed_out keeps the log so far and kills what runs', async () => {
    const pidFile = join(bench.dir, 'sleeper');
    const task = taskWithTest('echo started', `setsid sh -c 'echo $$ > ${pidFile}; sleep 600' &`, 'sleep 600');
    const result = await bench.harbor(task, { patch: GOOD_PATCH, timeoutSeconds: 1 });
    expect(result.outcome).toMatchObject({ kind: 'failed', failure: { blame: 'task', code: 'tests_timed_out' } });
    expect(await bench.content(result, 'grade_log')).toBe('started\n');
    expect(isRunning(await readFile(pidFile, 'utf8'))).toBe(false);
  });

  test('patch_apply_failed is our fault for a trial and the prediction’s own otherwise', async () => {
    const ofTrial = await bench.harbor(greetingTask(), { patch: FOREIGN_PATCH });
    expect(ofTrial.outcome).toMatchObject({ failure: { blame: 'infra', code: 'patch_apply_failed' } });
    expect(ofTrial.artifacts).toEqual([]);
    const handedIn = await bench.harbor(greetingTask(), { patch: FOREIGN_PATCH, origin: 'prediction' });
    expect(handedIn.outcome).toMatchObject({ failure: { blame: 'task', code: 'patch_apply_failed' } });
  });

  test('white space alone is a patch that does not apply', async () => {
    const { outcome } = await bench.harbor(greetingTask(), { patch: ' \n', origin: 'prediction' });
    expect(outcome).toMatchObject({ failure: { code: 'patch_apply_failed' } });
  });
});

describe('nothing but the tests makes a reward', () => {
  test('a patch cannot leave one in the logs, nor a test', async () => {
    const added = (path: string) =>
      `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+1\n`;
    const atRoot = taskWithTest('ls "$(dirname "$0")"');
    const dockerfile = 'ARG BASE_IMAGE=x\nFROM ${BASE_IMAGE}\nWORKDIR /\nCOPY app/ /app/\n';
    const result = await bench.harbor(
      { ...atRoot, 'environment/Dockerfile': dockerfile },
      { patch: added('logs/verifier/reward.txt') + added('tests/planted.txt') },
    );
    expect(result.outcome).toMatchObject({ failure: { code: 'reward_missing' } });
    expect(await bench.content(result, 'grade_log')).toBe('test.sh\n');
  });

  test('a process that the tests left running is dead before the reward is read', async () => {
    const task = taskWithTest(
      'echo 0 > "$v/reward.txt"',
      'setsid sh -c "sleep 0.3; echo 1 > $v/reward.txt" &',
      'exit 0',
    );
    const { outcome } = await bench.harbor(task, { patch: GOOD_PATCH });
    expect(outcome).toMatchObject({ verdict: 'UNRESOLVED', reward: 0 });
  });
});

test('the log is kept byte for byte, both streams in their order, whatever its bytes', async () => {
  const task = taskWithTest("printf '\\377\\000a\\r\\n'; echo b >&2; printf 'c'", 'echo 1 > "$v/reward.txt"');
  const result = await bench.harbor(task, { patch: GOOD_PATCH });
  const ref = result.artifacts.find(({ name }) => name === 'grade_log');
  expect((await bench.store.get(ref!)).toString('latin1')).toBe('\xff\x00a\r\nb\nc');
});

test('a grader that has other rules than the run was frozen with refuses', async () => {
  const grading = bench.harbor(greetingTask(), { patch: GOOD_PATCH, version: 'assay-harbor/0' });
  await expect(grading).rejects.toMatchObject({ blame: 'infra', code: 'grader_version_differs' });
});

test('an image that differs from the trial’s is refused', async () => {
  const grading = bench.harbor(greetingTask(), { patch: GOOD_PATCH, imageId: 'sha256:gone' });
  await expect(grading).rejects.toMatchObject({ blame: 'infra', code: 'image_changed' });
});

test('work that is aborted ends with the reason, and leaves nothing', async () => {
  const abort = new AbortController();
  const grading = bench.harbor(taskWithTest('sleep 600'), { patch: GOOD_PATCH, signal: abort.signal });
  const reason = new Error('lease lost');
  abort.abort(reason);
  await expect(grading).rejects.toBe(reason);
});
