import { LogParserError } from '../errors';
import type { GradingRules } from '../rules';
import { readLog } from './read-log';

const read = (content: string, rules: GradingRules = 'swebench-5.0.2'): [boolean, [string, string][]] => {
  const { found, statuses } = readLog(content, 'parse_log_pytest', rules);
  return [found, [...statuses]];
};
const log = (inside: string, after = '>>>>> Test Exit Code: 0\n'): string =>
  `>>>>> Start Test Output\n${inside}\n>>>>> End Test Output\n${after}`;
const PASSED: [string, string][] = [['a', 'PASSED']];
const NOTHING = [false, []];

test('what stands between the markers is read', () => {
  expect(read(`PASSED b\n${log('PASSED a')}PASSED c\n`)).toEqual([true, PASSED]);
});

test('both markers must be there, in whatever order', () => {
  expect(read('>>>>> Start Test Output\nPASSED a\n')).toEqual(NOTHING);
  expect(read('>>>>> End Test Output\n>>>>> Start Test Output\nPASSED a\n')).toEqual([true, PASSED]);
});

test('a second start marker ends the part that is read', () => {
  expect(read(log('PASSED a\n>>>>> Start Test Output\nPASSED b'))).toEqual([true, PASSED]);
});

test('results outside of the markers count where there are none between', () => {
  expect(read(`PASSED a\n${log('')}`)).toEqual([true, PASSED]);
});

test.each(['Patch Apply Failed', 'Reset Failed', 'Tests Errored', 'Tests Timed Out'])(
  '">>>>> %s" anywhere drops all',
  (code) => {
    expect(read(`+ x = ">>>>> ${code}"\n${log('PASSED a')}`)).toEqual(NOTHING);
  },
);

describe('a log without results', () => {
  test.each([
    '3 passing',
    'Executed 2 of 3',
    'TOTAL: 2 FAILED',
    'Tests:  1 failed',
    'Test Suites: 1 failed, 2 passed, 3 total',
    '# tests 2',
    '2 specs, 0 failures',
    "x': ok",
    'Test Suites:\u2028٣ skipped, 1٣ total',
    'Executed 1 of ٣',
    '1 spec, 7 failure',
    '1𝟎 passing',
  ])('is found when it shows that the suite ran: %s', (sign) => {
    expect(read(log(sign))).toEqual([true, []]);
  });

  test.each([
    '0 passing',
    'Executed 0 of 3',
    'Test Suites: 0 total',
    ' # tests 2',
    "x': ok ",
    'no tests ran',
    'Test Suites: 1 failed 2 total',
    'Test Suites: ٣ total',
    'Executed 1 of x',
    '1 spec, failures',
    '1² passing',
    'TOTAL: 1SUCCESS',
    'Tests:1',
  ])('says nothing otherwise: %s', (sign) => {
    expect(read(log(sign))).toEqual(NOTHING);
  });

  test('was found in any case by 4.1.0', () => {
    expect(read(log('x'), 'swebench-4.1.0')).toEqual([true, []]);
  });
});

describe('the exit code', () => {
  const exit = (text: string) => read(log('PASSED a', `>>>>> Test Exit Code:${text}\n`));

  test.each([' 1', ' -9', '\n\n137', ' ٣'])('%j contradicts a log without a failure', (text) => {
    expect(exit(text)).toEqual(NOTHING);
  });

  test.each([' 0', ' -0', '000', ' ٠', ' x', ''])('%j does not', (text) => {
    expect(exit(text)).toEqual([true, PASSED]);
  });

  test('does not contradict a log with one', () => {
    expect(read(log('PASSED a\nERROR b', '>>>>> Test Exit Code: 1\n'))[0]).toBe(true);
  });

  test('is the first that is printed, whoever printed it', () => {
    expect(read(log('PASSED a\n>>>>> Test Exit Code: 0', '>>>>> Test Exit Code: 1\n'))).toEqual([true, PASSED]);
  });

  test('of more digits than Python reads makes it raise', () => {
    expect(() => exit(` ${'1'.repeat(4301)}`)).toThrow(LogParserError);
    expect(exit(` ${'1'.repeat(4300)}`)).toEqual(NOTHING);
    expect(() => exit(` ${'٣'.repeat(10_000_000)}`)).toThrow(LogParserError);
  });

  test('was not looked at by 4.1.0', () => {
    expect(read(log('PASSED a', '>>>>> Test Exit Code: 1\n'), 'swebench-4.1.0')).toEqual([true, PASSED]);
  });
});
