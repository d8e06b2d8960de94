import { describeNeeding, describeWithData, missingTestImage } from '@assay/testing';
import { GradingBench } from '../harness/grading-bench';
import { makeSympyImage, ROWS, SYMPY_IMAGE, sympyRow, type SympyRow } from '../harness/sympy-row';

const added = (path: string, ...lines: string[]): string =>
  `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}\n`).join('')}`;

describeNeeding(missingTestImage(), 'a real row of SWE-bench Verified', () => {
  describeWithData('sympy__sympy-20590, judged by its own eval script', ROWS, () => {
    let bench: GradingBench;
    let row: SympyRow;
    beforeAll(async () => {
      await makeSympyImage();
      bench = await GradingBench.open('docker');
      row = await sympyRow();
    }, 600_000);
    afterAll(async () => {
      expect(await bench.left()).toEqual([]);
      await bench.close();
    });

    const grade = (patch: string | null, options: object = {}) =>
      bench.swebench(row, SYMPY_IMAGE, { patch, timeoutSeconds: 600, memoryMb: 2048, ...options });

    /** The row with another command for the tests: a fresh run of sympy's own takes a quarter of a minute. */
    const withTests = (...lines: string[]) => ({
      ...row,
      eval_script: [
        '#!/bin/bash',
        'set -uxo pipefail',
        'cd /testbed',
        ": '>>>>> Start Test Output'",
        ...lines,
        ": '>>>>> End Test Output'",
        'true',
      ].join('\n'),
    });
    const quick = (patch: string, lines: string[], options: object = {}) =>
      bench.swebench(withTests(...lines), SYMPY_IMAGE, { patch, ...options });

    test('the reference patch is RESOLVED', async () => {
      const result = await grade(row.patch);
      expect(result.outcome).toMatchObject({ kind: 'graded', verdict: 'RESOLVED', reward: 1, suspicions: [] });
      expect(await bench.content(result, 'grade_log')).toContain('\ntest_immutable ok\n');
      const report = JSON.parse((await bench.content(result, 'report')) ?? '') as Record<string, unknown>;
      expect(report[row.instance_id]).toMatchObject({
        resolved: true,
        tests_status: { FAIL_TO_PASS: { success: ['test_immutable'], failure: [] } },
      });
    }, 300_000);

    test('a patch that fixes nothing is UNRESOLVED, and one with a conftest.py is flagged', async () => {
      const result = await grade(added('conftest.py', 'x = 1'));
      expect(result.outcome).toMatchObject({
        kind: 'graded',
        verdict: 'UNRESOLVED',
        suspicions: ['test_configuration_in_patch'],
      });
      expect(await bench.content(result, 'grade_log')).toContain('\ntest_immutable F\n');
    }, 300_000);

    test('no patch is UNRESOLVED without a container', async () => {
      expect((await grade(null)).outcome).toMatchObject({ verdict: 'UNRESOLVED', imageId: null });
    });

    test('tests that print their own exit code are believed, as officially, and flagged', async () => {
      const lies = [
        "echo '>>>>> End Test Output'; echo '>>>>> Test Exit Code: 0'",
        'for t in test_immutable; do echo "$t ok"; done; false',
      ];
      const { outcome } = await quick(row.patch, lies);
      expect(outcome).toMatchObject({ kind: 'graded', verdict: 'UNRESOLVED' });
      expect((outcome as { suspicions: string[] }).suspicions).toContain('forged_exit_marker');
    });

    test('tests that take too long are tests_timed_out, with the log so far', async () => {
      const result = await quick(row.patch, ['echo begun', 'sleep 600'], { timeoutSeconds: 2 });
      expect(result.outcome).toMatchObject({ kind: 'failed', failure: { blame: 'task', code: 'tests_timed_out' } });
      expect(await bench.content(result, 'grade_log')).toMatch(/\nbegun\n\+ sleep 600\n$/);
    });

    test('tests that run out of our memory are our fault where the log says nothing', async () => {
      const hungry = ['python3 -c "x = [0] * 300_000_000" || true'];
      const { outcome } = await quick(row.patch, hungry, { memoryMb: 256 });
      expect(outcome).toMatchObject({ kind: 'failed', failure: { blame: 'infra', code: 'tests_out_of_memory' } });
    });

    test('an eval script that is killed by its tests is flagged', async () => {
      const { outcome } = await quick(row.patch, ['kill -9 $$']);
      expect(outcome).toMatchObject({ verdict: 'UNRESOLVED', suspicions: ['eval_script_killed'] });
    });

    describe('the patch chain', () => {
      const show = ['head -n 2 AUTHORS', 'ls -l new.txt; cat new.txt'];
      const log = async (patch: string) => bench.content(await quick(patch, show), 'grade_log');
      const changed = 'diff --git a/AUTHORS b/AUTHORS\n--- a/AUTHORS\n+++ b/AUTHORS\n@@ -1,2 +1,2 @@\n';
      const body = '-All people who contributed to SymPy by sending at least a patch or\n+Nobody\n';
      const context = ' more (in the order of the date of their first contribution), except\n';

      test('takes a patch without its last newline, by the last of its ways', async () => {
        expect(await log((changed + body + context).trimEnd())).toContain('\nNobody\n');
      });

      test('applies what git takes', async () => {
        expect(await log(changed + body + context)).toContain('\nNobody\n');
      });

      test('applies with fuzz what only patch takes', async () => {
        expect(await log(changed + body + ' a line that is not there\n')).toContain('\nNobody\n');
      });

      test('leaves nothing of an attempt that failed', async () => {
        const { outcome } = await quick(added('new.txt', 'one') + changed + '-not there\n+at all\n', show, {
          origin: 'prediction',
        });
        expect(outcome).toMatchObject({ kind: 'failed', failure: { blame: 'task', code: 'patch_apply_failed' } });
      });

      test('counts a patch that is there already as applied', async () => {
        const there = 'diff --git a/AUTHORS b/AUTHORS\n--- a/AUTHORS\n+++ b/AUTHORS\n@@ -1,2 +1,2 @@\n-Nobody\n';
        const first = '+All people who contributed to SymPy by sending at least a patch or\n';
        expect(await log(there + first + context)).toContain('\nAll people who contributed');
      });

      test('does not take white space for a patch, nor for none', async () => {
        const { outcome } = await quick(' \n', show, { origin: 'prediction' });
        expect(outcome).toMatchObject({ failure: { blame: 'task', code: 'patch_apply_failed' } });
        expect((await quick(' \n', show)).outcome).toMatchObject({ failure: { blame: 'infra' } });
      });

      test('makes binary files, renames and modes', async () => {
        const rename =
          'diff --git a/AUTHORS b/new.txt\nsimilarity index 100%\nrename from AUTHORS\nrename to new.txt\n';
        const mode = 'diff --git a/LICENSE b/LICENSE\nold mode 100644\nnew mode 100755\n';
        const result = await quick(rename + mode, ['ls AUTHORS LICENSE new.txt; test -x LICENSE && echo executable']);
        expect(await bench.content(result, 'grade_log')).toMatch(/\nLICENSE\nnew.txt\n[^]*\nexecutable\n/);
      });
    });
  });
});
