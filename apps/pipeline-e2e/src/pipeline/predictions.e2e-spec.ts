import { describeNeeding, describeWithData, missingTestImage, PROJECT_ROOT } from '@assay/testing';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assay } from '../harness/command-line';
import { scratchFolder, TestDeployment } from '../harness/deployment';
import { buildSympyRow, SWEBENCH_ROWS } from '../harness/sympy-row';

// `assay grade --predictions`, as a user types it: its own pool, the harness's layout, the exit code.

const MODEL = 'somebody/model-7b';
const TASK = join(PROJECT_ROOT, 'examples/tasks/leap-days');

interface Report {
  readonly resolved_ids: string[];
  readonly unresolved_ids: string[];
  readonly error_ids: string[];
  readonly empty_patch_ids: string[];
  readonly incomplete_ids: string[];
}

let scratch: Awaited<ReturnType<typeof scratchFolder>>;
beforeEach(async () => {
  scratch = await scratchFolder();
});
afterEach(() => scratch.remove());

function prediction(instance: string, patch: string | null): object {
  return { instance_id: instance, model_name_or_path: MODEL, model_patch: patch };
}

/** A patch that replaces the whole of a file of a task. */
function rewrite(file: string, to: string): string {
  const before = readFileSync(join(TASK, 'environment/app', file), 'utf8')
    .split('\n')
    .slice(0, -1);
  const after = to.split('\n').slice(0, -1);
  const head = `diff --git a/${file} b/${file}\n--- a/${file}\n+++ b/${file}\n@@ -1,${before.length} +1,${after.length} @@\n`;
  return `${head}${before.map((line) => `-${line}\n`).join('')}${after.map((line) => `+${line}\n`).join('')}`;
}

function grade(...more: string[]) {
  const state = join(scratch.dir, 'state');
  const out = join(scratch.dir, 'out');
  const run = assay('grade', '--state-dir', state, '--out', out, '--run-id', 'r1', ...more);
  const file = join(out, `${MODEL.replace('/', '__')}.r1.json`);
  const report = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Report) : null;
  return { ...run, report, logs: join(out, 'logs/run_evaluation/r1', MODEL.replace('/', '__')) };
}

test('the output folder of mini-swe-agent is graded in the process sandbox, its trajectories kept', () => {
  const folder = join(scratch.dir, 'mini');
  mkdirSync(join(folder, 'leap-days'), { recursive: true });
  writeFileSync(join(folder, 'leap-days/leap-days.traj.json'), '{"info": {}, "messages": []}');
  const wrong = rewrite('src/days.mjs', 'export const nothing = 1;\n');
  const preds = { 'leap-days': prediction('leap-days', wrong), 'csv-quotes': prediction('csv-quotes', '') };
  writeFileSync(join(folder, 'preds.json'), JSON.stringify(preds));

  const { status, stdout, stderr, report, logs } = grade('--predictions', folder, '--suite', 'demo', '--workers', '2');
  expect({ status, stderr }).toEqual({ status: 0, stderr: expect.any(String) as string });
  expect(stdout).toContain('unresolved  leap-days\n');
  expect(stdout).toContain('unresolved  csv-quotes  (empty patch)\n');
  expect(report).toMatchObject({ unresolved_ids: ['leap-days'], empty_patch_ids: ['csv-quotes'], error_ids: [] });
  expect(report?.incomplete_ids).toHaveLength(6);
  expect(readFileSync(join(logs, 'leap-days/patch.diff'), 'utf8')).toBe(wrong);
  expect(readFileSync(join(logs, 'leap-days/leap-days.traj.json'), 'utf8')).toBe('{"info": {}, "messages": []}');
  expect(existsSync(join(logs, 'leap-days/test_output.txt'))).toBe(true);
}, 180_000);

test('a running pool grades them too, by its address and token', async () => {
  const deployment = await TestDeployment.start({ suitesDir: join(PROJECT_ROOT, 'suites') });
  try {
    const preds = join(scratch.dir, 'preds.jsonl');
    writeFileSync(preds, JSON.stringify(prediction('leap-days', rewrite('src/days.mjs', 'export const no = 1;\n'))));
    const out = join(scratch.dir, 'out');
    const pool = ['--url', deployment.url, '--token-file', join(deployment.dir, 'api-token')];
    const { status, stdout, stderr } = assay(
      'grade',
      '--predictions',
      preds,
      '--suite',
      'demo',
      '--out',
      out,
      '--json',
      ...pool,
    );
    expect([status, stderr]).toEqual([0, expect.stringContaining('unresolved  leap-days')]);
    const summary = JSON.parse(stdout) as object;
    expect(summary).toMatchObject({ total: 8, submitted: 1, resolved: 0, unresolved: 1, failed: 0, problems: [] });
  } finally {
    await deployment.stop();
  }
}, 120_000);

test('wrong arguments end with 2 and one line, before anything is started', () => {
  const file = join(scratch.dir, 'preds.jsonl');
  writeFileSync(file, JSON.stringify(prediction('leap-days', 'x')));
  const lines = [
    ['--suite', 'demo'],
    ['--predictions', join(scratch.dir, 'none'), '--suite', 'demo'],
    ['--predictions', file],
    ['--predictions', file, '--suite', 'nothing'],
    ['--predictions', file, '--subset', 'verified', '--data', scratch.dir],
    ['--predictions', file, '--suite', 'demo', '--workers', '0'],
    ['--predictions', file, '--suite', 'demo', '--filter', '(('],
    ['--predictions', file, '--suite', 'demo', '--url', 'http://127.0.0.1:9', '--workers', '2'],
  ].map((args) => {
    const { status, stderr } = grade(...args);
    expect([args, status]).toEqual([args, 2]);
    return stderr.trim();
  });
  for (const line of lines) expect(line.split('\n')).toHaveLength(1);
  expect(lines).toEqual([
    '--predictions: expected a file or folder of predictions',
    `--predictions: expected a file or folder of predictions, but ${join(scratch.dir, 'none')} is not there`,
    'expected --suite NAME|FILE, or --subset NAME: the tasks to grade for',
    expect.stringContaining('--suite: expected a suite name or file, but'),
    expect.stringContaining('looked for verified-test.jsonl,'),
    '--workers: expected a whole number from 1 to 64, got "0"',
    '--filter: expected a regular expression, got "(("',
    '--workers: expected none with --url (or ASSAY_URL): the pool there is as it is',
  ]);
  expect(existsSync(join(scratch.dir, 'state'))).toBe(false);
}, 60_000);

describeNeeding(missingTestImage(), 'predictions for SWE-bench', () => {
  describeWithData('one real row', SWEBENCH_ROWS, () => {
    const ROW = 'sympy__sympy-20590';
    const CONFTEST = [
      'diff --git a/conftest.py b/conftest.py',
      'new file mode 100644',
      '--- /dev/null',
      '+++ b/conftest.py',
      '@@ -0,0 +1 @@',
      '+# nothing',
      '',
    ].join('\n');

    async function suite(): Promise<{ file: string; gold: string }> {
      const dir = join(scratch.dir, 'suite');
      await buildSympyRow(dir);
      const { patch } = JSON.parse(readFileSync(join(dir, 'swe-real.jsonl'), 'utf8')) as { patch: string };
      return { file: join(dir, 'swe-real.yaml'), gold: patch };
    }

    test('the reference patch is resolved; every line that is none is named, and the exit code says so', async () => {
      const { file, gold } = await suite();
      const preds = join(scratch.dir, 'all_preds.jsonl');
      const lines = [prediction('no__such-1', gold), prediction(ROW, 'garbage'), prediction(ROW, gold)];
      writeFileSync(preds, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n{"instance_id": \n`);
      const { status, stdout, stderr, report, logs } = grade('--predictions', preds, '--suite', file);
      expect(stderr.trim().split('\n')).toEqual([
        expect.stringContaining(
          `${preds}:2: instance_id: expected an id that occurs once, the one of ${preds}:3 is taken`,
        ),
        expect.stringContaining(`${preds}:4: (prediction): expected a JSON object`),
        expect.stringContaining(`${preds}:1: instance_id: expected an id of the data set, got "no__such-1"`),
      ]);
      // Officially the last of an id is taken.
      expect(stdout).toContain(`resolved    ${ROW}\n`);
      expect(report).toMatchObject({ resolved_ids: [ROW], error_ids: [] });
      expect(readFileSync(join(logs, ROW, 'eval.sh'), 'utf8')).toContain(
        '>>>>> Test Exit Code: $SWEBENCH_TEST_EXIT_CODE',
      );
      expect(readFileSync(join(logs, ROW, 'report.json'), 'utf8')).toContain('"resolved": true');
      expect(status).toBe(1);
    }, 240_000);

    test('one that does not apply has no report, and one of test configuration alone is flagged', async () => {
      const { file } = await suite();
      const preds = join(scratch.dir, 'preds.json');
      writeFileSync(preds, JSON.stringify([prediction(ROW, CONFTEST)]));
      const flagged = grade('--predictions', preds, '--suite', file);
      expect(flagged.stdout).toContain(`unresolved  ${ROW}  (suspicions: test_configuration_in_patch)`);
      expect(flagged.status).toBe(0);

      writeFileSync(preds, JSON.stringify([prediction(ROW, 'garbage')]));
      const failed = grade('--predictions', preds, '--suite', file, '--run-id', 'r2');
      expect(failed.stdout).toContain(`failed      ${ROW}  patch_apply_failed: `);
      expect(failed.status).toBe(1);
      const log = join(failed.logs.replace('/r1/', '/r2/'), ROW, 'run_instance.log');
      expect(readFileSync(log, 'utf8')).toContain('>>>>> Patch Apply Failed:\n');
      expect(existsSync(log.replace('run_instance.log', 'report.json'))).toBe(false);
    }, 300_000);
  });
});
