import { changedFiles, gradeLog, patchSuspicions, type Suspicion } from '../index';

const suspicionsOf = (log: string): Suspicion[] =>
  gradeLog({ log, FAIL_TO_PASS: [], PASS_TO_PASS: [], log_parser: 'parse_log_pytest', eval_type: 'pass_and_fail' })
    .suspicions;
const HONEST = [
  "+ : '>>>>> Start Test Output'",
  'PASSED a',
  '+ SWEBENCH_TEST_EXIT_CODE=0',
  "+ : '>>>>> End Test Output'",
  "+ echo '>>>>> Test Exit Code: 0'",
  '>>>>> Test Exit Code: 0',
];
const withLine = (at: number, line: string): string => HONEST.toSpliced(at, 0, line).join('\n');

describe('a log', () => {
  test('that the eval script alone has marked is not suspicious', () => {
    expect(suspicionsOf(HONEST.join('\n'))).toEqual([]);
  });

  test.each([
    ['before the tests', 0],
    ['among them', 2],
  ])('with an exit code %s is forged', (_, at) => {
    expect(suspicionsOf(withLine(at, '>>>>> Test Exit Code: 0'))).toEqual(['forged_exit_marker']);
  });

  test('with two exit codes, or three lines of one, is forged', () => {
    expect(suspicionsOf(withLine(6, '>>>>> Test Exit Code: 1'))).toEqual(['forged_exit_marker']);
    expect(suspicionsOf(HONEST.with(4, '>>>>> Test Exit Code: 1').join('\n'))).toEqual(['forged_exit_marker']);
  });

  test('with an exit code and no end is forged', () => {
    expect(suspicionsOf('>>>>> Test Exit Code: 0')).toEqual(['forged_exit_marker']);
  });

  test('with markers of its own is told', () => {
    expect(suspicionsOf(withLine(2, '>>>>> End Test Output'))).toEqual(['markers_repeated']);
    expect(suspicionsOf(withLine(0, '>>>>> End Test Output'))).toEqual(['markers_out_of_order', 'markers_repeated']);
  });

  test('with a string that drops it is told', () => {
    expect(suspicionsOf(withLine(0, '+ x = ">>>>> Tests Errored"'))).toEqual(['bad_code_in_log']);
  });
});

const added = (path: string): string =>
  `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+x\n`;
const changed = (path: string): string =>
  `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-x\n+y\n`;

describe('a patch', () => {
  test.each(['conftest.py', 'tests/conftest.py', 'setup.cfg', 'tox.ini', 'a/pytest.ini', 'x.pth', 'bin/test'])(
    'that changes %s steers the tests',
    (path) => {
      expect(patchSuspicions(changed(path))).toEqual(['test_configuration_in_patch']);
    },
  );

  test.each(['test_new.py', 'a/tests/helper.py', 'x_test.go', 'src/__tests__/a.js'])(
    'that adds %s plants tests',
    (path) => {
      expect(patchSuspicions(added(path))).toEqual(['tests_in_patch']);
    },
  );

  test('that changes source, or tests that are there, is neither', () => {
    expect(patchSuspicions(changed('src/attest.py') + added('src/contest.py') + changed('tests/test_a.py'))).toEqual(
      [],
    );
    expect(patchSuspicions('not a patch at all')).toEqual([]);
  });
});

describe('the files of a patch', () => {
  test('are read from plain, git, binary, mode and rename headers', () => {
    const patch = [
      added('new.py').trimEnd(),
      changed('old.py').trimEnd(),
      '--- plain.py\t2020-01-01\n+++ plain.py\t2020-01-02\n@@ -1 +1 @@\n-x\n+y',
      'diff --git a/mode.sh b/mode.sh\nold mode 100644\nnew mode 100755',
      'diff --git a/bin b/bin\nnew file mode 100644\nindex 0..1\nGIT binary patch\nliteral 1\nIc\n',
      'diff --git a/from.py b/to.py\nsimilarity index 100%\nrename from from.py\nrename to to.py',
      'diff --git a/gone.py b/gone.py\ndeleted file mode 100644\n--- a/gone.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x',
    ].join('\n');
    expect(changedFiles(patch)).toEqual([
      { path: 'new.py', added: true },
      { path: 'old.py', added: false },
      { path: 'plain.py', added: false },
      { path: 'mode.sh', added: false },
      { path: 'bin', added: true },
      { path: 'to.py', added: false },
      { path: 'gone.py', added: false },
    ]);
  });

  test('are not read from the lines of a hunk', () => {
    const patch = changed('a.sql').replace(
      '@@ -1 +1 @@\n-x\n+y\n',
      '@@ -1,2 +1,2 @@\n--- a/conftest.py\n+++ b/conftest.py\n x\n',
    );
    expect(changedFiles(patch)).toEqual([{ path: 'a.sql', added: false }]);
  });
});
