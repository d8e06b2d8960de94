import { PARSER_NAMES } from '../parsers/registry';
import type { Question } from './official';

/** A small generator of its own (mulberry32), so that a seed names a run. */
export function randomness(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const STATUS_WORDS = ['PASSED', 'FAILED', 'ERROR', 'ERROR:', 'SKIPPED', 'XFAIL', 'XPASS', 'ok', ' ... ok', ' F', ' E'];
const ODD_SPACES = ['\t', '\x0b', '\x1c', '\x1f', '\x85', '\xa0', '\u2028', '\u3000', '\ufeff', '\u200b', '  '];
/** Digits to Python 3.11, Arabic and beyond 16 bits; and three that are none: too new, superscript, numeral. */
const DIGITS = ['٣', '𝟎', '𝟗', '\u{11f50}', '²', 'Ⅷ'];
const LINE_ENDS = ['\r', '\r\n', '\r\r', '\n\n'];
const COLOURS = ['\x1b[32m', '\x1b[0m', '\x1b[1;31m', '[٣m', '[12m'];

/** What the parsers look for, and what nearly is it. */
const PIECES = [
  ...STATUS_WORDS,
  ...ODD_SPACES,
  ...LINE_ENDS,
  ...COLOURS,
  ...' - |[3]|[100%]|a.py::t[x y]|a.py::t|b::u[/a/b]|c[//x]|d[*/e]|[|]|_|.py:|s/t.py:test_q|___|test_a (m.T)|test_b'.split(
    '|',
  ),
  ..." ... FAIL| ... ERROR| ...  OK| ... skipped 'x'|okay|FAIL:|FAIL: test_x (m)|ERROR: test_y (m)|...|/x/".split('|'),
  ...'MouseButton.LEFT|MouseButton.RIGHT| PASSED |--version is equivalent to version| silenced).|/'.split('|'),
  'Applying sites.0002_alter_domain_unique...test_no_migrations (m.T)',
  'Testing against Django installed in ',
  'Internal Server Error: /',
  'System check identified no issues (0 silenced)',
  ' ... Testing against Django installed in x silenced).\nok\n',
  ' ... Internal Server Error: /a/\nok\n',
  ' ... System check identified no issues (0 silenced)\nok\n',
  '\n',
  '\n',
  ' ',
  ' ',
];

/** Forged markers, signs of a run, reasons of failures. */
const LOG_PIECES = [
  ...DIGITS,
  ...'Executed | of |TOTAL: | SUCCESS| passing|Tests:|Test Suites:| total|, |# tests | specs| failures|1|0'.split('|'),
  ...'>>>>> Start Test Output|>>>>> End Test Output|>>>>> Test Exit Code: 0|>>>>> Test Exit Code: 1'.split('|'),
  ...'>>>>> Test Exit Code:\n -٣|>>>>> Test Exit Code: 𝟎|>>>>> Tests Timed Out|\nKilled\n|no tests ran'.split('|'),
  ...'3 passing|0 passing|1٠ passing|Tests: 1|Test Suites: 2 failed, 3 total|\n# tests 4|3 specs, 0 failures'.split(
    '|',
  ),
  ..."Executed 1 of 2|TOTAL: 3 SUCCESS|': ok\n|ModuleNotFoundError|Timeout error: 5 seconds exceeded".split('|'),
];

/** One name of each parser: the others are the same under other names. */
const KINDS = 'pytest pytest_options pytest_v2 matplotlib seaborn sympy django'
  .split(' ')
  .map((name) => `parse_log_${name}`);

/** A log of a parser's kind that the official code reads. */
export interface RealLog {
  readonly log: string;
  readonly log_parser: string;
  readonly eval_type: 'pass_and_fail' | 'fail_only';
  readonly FAIL_TO_PASS: readonly string[];
  readonly PASS_TO_PASS: readonly string[];
}

/** Used where no real logs are at hand: a few lines of each kind, between markers. */
export const SAMPLES: readonly RealLog[] = PARSER_NAMES.map((log_parser) => ({
  log: [
    "+ : '>>>>> Start Test Output'",
    'PASSED a.py::t[x y]',
    'FAILED a.py::u - AssertionError: x - y',
    'SKIPPED [1] a.py:3: why',
    'b.py::v PASSED [ 50%]',
    'test_a (m.T) ... ok',
    'test_b (m.T) ... some output',
    'ok',
    'test_c ok',
    'test_d F',
    '_____ s/t.py:test_d _____',
    '+ SWEBENCH_TEST_EXIT_CODE=1',
    "+ : '>>>>> End Test Output'",
    "+ echo '>>>>> Test Exit Code: 1'",
    '>>>>> Test Exit Code: 1',
    '',
  ].join('\n'),
  log_parser,
  eval_type: 'pass_and_fail',
  FAIL_TO_PASS: ['a.py::t[x', 'test_a (m.T)', 'test_c'],
  PASS_TO_PASS: ['b.py::v', 'test_b (m.T)', 'a.py::t'],
}));

/** Questions of every kind, `count` in all. */
export function* generatedQuestions(real: readonly RealLog[], count: number, seed: number): Generator<Question> {
  const random = randomness(seed);
  const upTo = (bound: number): number => Math.floor(random() * bound);
  const pick = <T>(from: readonly T[]): T => from[upTo(from.length)] as T;
  const mixed = (pieces: readonly string[], most: number): string =>
    Array.from({ length: upTo(most) }, () => pick(pieces)).join('');

  const few = (pieces: readonly string[]): string[] => ['\n', ...Array.from({ length: 4 }, () => pick(pieces))];

  const mutated = (log: string): string => {
    const lines = log.split('\n');
    for (let change = 1 + upTo(8); change > 0; change -= 1) {
      const at = upTo(lines.length);
      const line = lines[at] ?? '';
      const ways: readonly (() => void)[] = [
        () => lines.splice(at, 1),
        () => lines.splice(at, 0, line),
        () => lines.splice(at, 1, ...lines.splice(upTo(lines.length), 1, line)),
        () => (lines[at] = line.replace(/PASSED|FAILED|ERROR|SKIPPED|XFAIL| ok$| F$| E$/, () => pick(STATUS_WORDS))),
        () => (lines[at] = `${pick(COLOURS)}${line}${pick(COLOURS)}`),
        () => (lines[at] = line + pick(LINE_ENDS)),
        () => (lines[at] = line.replace(' ', () => pick(ODD_SPACES))),
        () => (lines[at] = line.slice(0, upTo(line.length))),
        () => lines.splice(at, 0, pick(PIECES) + pick(LOG_PIECES) + pick(PIECES)),
      ];
      pick(ways)();
    }
    return lines.join('\n');
  };

  for (let made = 0; made < count; made += 1) {
    const base = pick(real);
    switch (made % 4) {
      case 0:
        // A few pieces many times meet in lines in which several rules hold.
        yield { parser: pick(KINDS), log: mixed(random() < 0.5 ? PIECES : few(PIECES), 30) };
        break;
      case 1: {
        const inside = mixed([...PIECES, ...LOG_PIECES], 20);
        const log = `${mixed(PIECES, 4)}>>>>> Start Test Output\n${inside}\n>>>>> End Test Output\n${mixed(LOG_PIECES, 4)}`;
        yield { ...base, log_parser: pick(PARSER_NAMES), eval_type: pick(['pass_and_fail', 'fail_only']), log };
        break;
      }
      default: {
        const cut = base.FAIL_TO_PASS.map((id) => (random() < 0.1 ? id.slice(0, upTo(id.length)) : id));
        yield { ...base, FAIL_TO_PASS: cut, log: mutated(base.log), model_patch: random() < 0.02 ? null : 'patch' };
      }
    }
  }
}
