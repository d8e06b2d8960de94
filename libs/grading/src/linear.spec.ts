import { gradeLog } from './index';

const KINDS: readonly (readonly [string, string])[] = [
  ['parse_log_pytest', 'PASSED a.py::t[x]\nsome output\nFAILED b.py::u - AssertionError: x\n'],
  ['parse_log_requests', 'PASSED a.py::t[/a/b/c]\nFAILED b.py::u[x] - AssertionError\n'],
  ['parse_log_astropy', 'PASSED a.py::t[a b]\n\x1b[32mPASSED\x1b[0m x::y\na.py::t PASSED\n'],
  ['parse_log_matplotlib', 'PASSED a.py::t[MouseButton.LEFT]\noutput\n'],
  ['parse_log_seaborn', 'a.py::t PASSED [ 50%]\nFAILED x::y\n'],
  ['parse_log_sympy', 'test_a ok\n____ s/t.py:test_x ____\ntest_d F\n'],
  ['parse_log_django', 'a (m) ... ok\nb (m) ... output\nok\nERROR: c (m)\n'],
  // What makes the official expressions slow: one long line, heads without ends, runs of digits and spaces.
  ['parse_log_sympy', '_ '],
  ['parse_log_sympy', 'a.py: '],
  ['parse_log_django', 'x ... Internal Server Error: /a/'],
  ['parse_log_django', 'x ... Testing against Django installed in \n'],
  ['parse_log_sphinx', 'PASSED a  b'],
  ['parse_log_sphinx', '[1m'],
  ['parse_log_pytest', '1'],
  ['parse_log_pytest', '>>>>> Test Exit Code:   '],
  ['parse_log_pytest', '\r'],
  ['parse_log_sympy', '\r\n'],
  ['parse_log_pytest', '…\r'],
  ['parse_log_django', ' \n'],
  ['parse_log_django', 'a\n'],
  ['parse_log_sphinx', '\x1b'],
  ['parse_log_pytest', '>>>>> Test Exit Code: 1\n'],
  ['parse_log_pytest', '>>>>> End Test Output\n'],
  ['parse_log_pytest', 'Test Suites: 1 a, '],
  ['parse_log_pytest', '1 specs, '],
  ['parse_log_pytest', 'Executed 1'],
];

/** Milliseconds of this process's own time: others on the machine do not count. */
function costOf(log_parser: string, unit: string, size: number): number {
  const body = unit.repeat(Math.ceil(size / unit.length));
  const log = `>>>>> Start Test Output\n${body}\n>>>>> End Test Output\n`;
  const before = process.cpuUsage();
  gradeLog({ log, log_parser, eval_type: 'pass_and_fail', FAIL_TO_PASS: ['a[x'], PASS_TO_PASS: [] });
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

test.each(KINDS)('ten times the log costs no more than ten times as much: %s of %j', (log_parser, unit) => {
  costOf(log_parser, unit, 250_000);
  const small = Math.max(30, costOf(log_parser, unit, 500_000));
  // A quadratic one would cost a hundred times as much.
  expect(costOf(log_parser, unit, 5_000_000)).toBeLessThan(small * 40);
});
