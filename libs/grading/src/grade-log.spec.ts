import { gradeLog, reportJson, type GradeLogInput } from './index';

const grade = (lines: readonly string[], change: Partial<GradeLogInput> = {}) =>
  gradeLog({
    log: ['>>>>> Start Test Output', ...lines, '>>>>> End Test Output', '>>>>> Test Exit Code: 1', ''].join('\n'),
    FAIL_TO_PASS: ['a'],
    PASS_TO_PASS: ['b'],
    log_parser: 'parse_log_pytest_v2',
    eval_type: 'pass_and_fail',
    model_patch: 'patch',
    ...change,
  });
const resolution = (lines: readonly string[], change: Partial<GradeLogInput> = {}) => grade(lines, change).resolution;
const FAILURE = 'FAILED elsewhere';

describe('resolution', () => {
  test.each([
    ['RESOLVED_FULL', ['PASSED a', 'PASSED b']],
    ['RESOLVED_FULL', ['XFAIL a', 'PASSED b']],
    ['RESOLVED_NO', ['FAILED a', 'PASSED b']],
    ['RESOLVED_NO', ['PASSED a', 'FAILED b']],
    ['RESOLVED_NO', ['PASSED a']],
    ['RESOLVED_NO', ['XPASS a', 'PASSED b']],
  ])('%s for %j', (expected, lines) => {
    expect(resolution([...lines, FAILURE])).toBe(expected);
  });

  test('is partial when some are fixed and none broken', () => {
    expect(resolution(['PASSED a', 'FAILED c', 'PASSED b'], { FAIL_TO_PASS: ['a', 'c'] })).toBe('RESOLVED_PARTIAL');
    expect(resolution(['PASSED a', 'FAILED c', 'FAILED b'], { FAIL_TO_PASS: ['a', 'c'] })).toBe('RESOLVED_NO');
  });

  test('a skipped test does not fix, and does not break; 4.1.0 did not count it', () => {
    expect(resolution(['SKIPPED a', 'PASSED b', FAILURE])).toBe('RESOLVED_NO');
    expect(resolution(['PASSED a', 'SKIPPED b', FAILURE])).toBe('RESOLVED_FULL');
    expect(resolution(['SKIPPED a', 'PASSED b', FAILURE], { rules: 'swebench-4.1.0' })).toBe('RESOLVED_FULL');
  });

  test('a status outside the five drops out of the count: a known hole, told as a suspicion', () => {
    const graded = grade(['ERROR: a', 'PASSED b', FAILURE]);
    expect(graded.resolution).toBe('RESOLVED_FULL');
    expect(graded.suspicions).toEqual(['unknown_status']);
  });

  test('a suite that only fails by failing takes what is absent for success', () => {
    expect(resolution(['ERROR a'], { eval_type: 'fail_only' })).toBe('RESOLVED_FULL');
    expect(resolution(['FAILED a'], { eval_type: 'fail_only' })).toBe('RESOLVED_NO');
  });
});

describe('an id that is cut at a space', () => {
  const cut = { FAIL_TO_PASS: ['a[x'], PASS_TO_PASS: [] };

  test('stands for all tests that begin with it, if they agree', () => {
    expect(resolution(['PASSED a[x 1]', 'XFAIL a[x 2]', FAILURE], cut)).toBe('RESOLVED_FULL');
    expect(resolution(['PASSED a[x 1]', 'FAILED a[x 2]'], cut)).toBe('RESOLVED_NO');
  });

  test('gives way to a test of exactly that name', () => {
    expect(resolution(['FAILED a[x 1]', 'PASSED a[x'], cut)).toBe('RESOLVED_FULL');
  });

  test('is known by more brackets opened than closed', () => {
    expect(resolution(['PASSED abc', FAILURE], { FAIL_TO_PASS: ['a'], PASS_TO_PASS: [] })).toBe('RESOLVED_NO');
  });

  test('was not known to 4.1.0', () => {
    expect(resolution(['PASSED a[x', FAILURE], { ...cut, rules: 'swebench-4.1.0' })).toBe('RESOLVED_FULL');
    expect(resolution(['PASSED a[xy', FAILURE], { ...cut, rules: 'swebench-4.1.0' })).toBe('RESOLVED_NO');
  });

  test('counts by the first one’s status', () => {
    const kept = { FAIL_TO_PASS: [], PASS_TO_PASS: ['a[x'] };
    expect(resolution(['SKIPPED a[x 1]', 'FAILED a[x 2]'], kept)).toBe('RESOLVED_FULL');
    expect(resolution(['FAILED a[x 1]', 'SKIPPED a[x 2]'], kept)).toBe('RESOLVED_NO');
  });
});

describe('the report', () => {
  test('lists the tests in the row’s order, doubled ids twice', () => {
    const { report } = grade(['PASSED a', 'FAILED b'], { FAIL_TO_PASS: ['c', 'a', 'a'] });
    expect(report).toEqual({
      patch_is_None: false,
      patch_exists: true,
      patch_successfully_applied: true,
      resolved: false,
      infra_failure: false,
      tests_status: {
        FAIL_TO_PASS: { success: ['a', 'a'], failure: ['c'] },
        PASS_TO_PASS: { success: [], failure: ['b'] },
        FAIL_TO_FAIL: { success: [], failure: [] },
        PASS_TO_FAIL: { success: [], failure: [] },
      },
    });
  });

  test('of no patch says so; log and statuses are told all the same', () => {
    const graded = grade(['PASSED a', FAILURE], { model_patch: null });
    expect(graded).toMatchObject({
      found: true,
      resolution: null,
      report: { patch_is_None: true, patch_exists: false },
    });
  });

  test.each([
    ['out_of_memory', true, 'Killed'],
    ['network_unreachable', true, 'Could not resolve host: x'],
    ['browser_launch_failed', true, 'Failed to launch\nKilled'],
    ['display_unavailable', true, 'cannot open display'],
    ['container_unavailable', true, 'Error response from daemon'],
    ['missing_module', false, "ModuleNotFoundError: No module named 'x'"],
    ['no_tests_collected', false, 'collected 0 items'],
    ['tests_timed_out', false, 'Timeout error: 1800 seconds exceeded'],
  ])('of a log that says nothing gives a reason: %s', (reason, infra, line) => {
    expect(grade([line]).report).toMatchObject({
      patch_successfully_applied: false,
      resolved: false,
      infra_failure: infra,
      infra_failure_reason: reason,
    });
  });

  test('gives no reason where the word is only part of a line, nor under 4.1.0', () => {
    expect(grade(['xKilled']).report).not.toHaveProperty('infra_failure_reason');
    expect(grade(['Killed', '>>>>> Tests Timed Out'], { rules: 'swebench-4.1.0' }).report).not.toHaveProperty(
      'infra_failure',
    );
  });

  test('is written as Python writes it', () => {
    const { report } = grade(['PASSED ü\x7f😀', FAILURE], { FAIL_TO_PASS: ['ü\x7f😀'], PASS_TO_PASS: [] });
    const json = reportJson('i', report);
    expect(json).toContain('{\n    "i": {\n        "patch_is_None": false,');
    expect(json).toContain('"\\u00fc\\u007f\\ud83d\\ude00"');
    expect(json.endsWith('}')).toBe(true);
  });
});
