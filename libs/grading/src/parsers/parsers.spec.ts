import { LogParserError, UnknownParserError } from '../errors';
import { PARSER_NAMES, parserNamed } from './registry';

const parse = (name: string, ...lines: string[]): [string, string][] => [
  ...parserNamed(`parse_log_${name}`)(lines.join('\n')),
];
const parseOld = (name: string, ...lines: string[]): [string, string][] => [
  ...parserNamed(`parse_log_${name}`, 'swebench-4.1.0')(lines.join('\n')),
];

test('a parser that is not there is named, with those that are', () => {
  expect(() => parserNamed('parse_log_cobol')).toThrow(UnknownParserError);
  expect(() => parserNamed('parse_log_cobol')).toThrow(/"parse_log_cobol"; known are parse_log_pytest, /);
  expect(() => parserNamed('__proto__')).toThrow(UnknownParserError);
});

test('all repositories of Verified and of the dev split have theirs', () => {
  const repositories =
    'astropy django matplotlib seaborn flask requests xarray pylint pytest scikit sphinx sympy'.split(' ');
  const dev = 'astroid marshmallow pvlib pydicom pyvista sqlfluff'.split(' ');
  for (const name of [...repositories, ...dev]) expect(PARSER_NAMES).toContain(`parse_log_${name}`);
});

describe('pytest', () => {
  test('an id ends at its first white space, a reason is cut', () => {
    expect(parse('pytest', 'PASSED a::t[x y]', 'FAILED b::u - AssertionError: 1 - 2')).toEqual([
      ['a::t[x', 'PASSED'],
      ['b::u', 'FAILED'],
    ]);
  });

  test('the later line wins, the key keeps its first place', () => {
    expect(parse('pytest', 'PASSED a', 'PASSED b', 'FAILED a')).toEqual([
      ['a', 'FAILED'],
      ['b', 'PASSED'],
    ]);
  });

  test('a status word need not end where it ends, and may carry a colon', () => {
    expect(parse('pytest', 'ERROR: not found: x.py', 'ERRORS')).toEqual([['not', 'ERROR:']]);
  });

  test('a count may be as long as it likes, and holds nothing but digits', () => {
    const counts = ['[٣𝟎]', `[${'٣'.repeat(10_000_000)}]`];
    expect(parse('pytest', ...counts.map((count) => `SKIPPED ${count}`))).toEqual([]);
    const tests = ['[]', '[3', '[3]x', '[x]', '[²]', '[\u{11f50}]'];
    expect(parse('pytest', ...tests.map((test) => `SKIPPED ${test}`)).map(([id]) => id)).toEqual(tests);
  });

  test('a count of skipped tests is no test; 4.1.0 took it for one', () => {
    expect(parse('pytest', 'SKIPPED [3] a.py:1: why')).toEqual([]);
    expect(parseOld('pytest', 'SKIPPED [3] a.py:1: why')).toEqual([['[3]', 'SKIPPED']]);
  });

  test('ids that are names of object members, or numbers, keep their order', () => {
    expect(parse('pytest', 'PASSED __proto__', 'PASSED 2', 'PASSED 1')).toEqual([
      ['__proto__', 'PASSED'],
      ['2', 'PASSED'],
      ['1', 'PASSED'],
    ]);
  });
});

describe('pytest with options', () => {
  test('a path in a parameter is cut to its last part, unless it is a URL’s or a pattern', () => {
    const ids = ['t[/a/b/c]', 't[//a/b]', 't[/a/*/b]', 't[x/y]', 't[/a]rest', 't[/a]-[b]', 't]x['];
    expect(parse('requests', ...ids.map((id) => `PASSED ${id}`)).map(([id]) => id)).toEqual([
      't[/c]',
      't[//a/b]',
      't[/a/*/b]',
      't[x/y]',
      't[/a]',
      't[/a]-[b]',
      't]x[',
    ]);
  });
});

describe('pytest of later versions', () => {
  test('an id keeps its spaces; 4.1.0 cut it at the first', () => {
    expect(parse('astropy', 'PASSED a::t[x  y z]')).toEqual([['a::t[x y z]', 'PASSED']]);
    expect(parseOld('astropy', 'PASSED a::t[x  y z]')).toEqual([['a::t[x', 'PASSED']]);
  });

  test('the status may stand last', () => {
    expect(parse('sphinx', 'a::t[x y] FAILED', 'b_PASSED')).toEqual([['a::t[x y]', 'FAILED']]);
  });

  test('colours and controls go, wherever they stand; bold colours stay and hide the line', () => {
    expect(parse('scikit', '\x1b[32mPASSED\x1b[0m a::t[31m]', '\x1b[1;32mPASSED b', 'PASSED\tc')).toEqual([
      ['a::t]', 'PASSED'],
    ]);
    // One pass: what only becomes a colour by a deletion stays.
    expect(parse('scikit', 'PASSED a[1\x01m[[2m3m[٣m', 'PASSED b')).toEqual([
      ['a[1m[3m', 'PASSED'],
      ['b', 'PASSED'],
    ]);
  });
});

describe('matplotlib and seaborn', () => {
  test('mouse buttons are numbers', () => {
    expect(parse('matplotlib', 'PASSED t[MouseButton.LEFT-MouseButton.RIGHT]')).toEqual([['t[1-3]', 'PASSED']]);
  });

  test('seaborn knows PASSED and FAILED alone, in both places', () => {
    expect(
      parse('seaborn', 'FAILED a x', 'b PASSED [ 50%]', 'PASSED c', 'SKIPPED d', 'e x PASSED y', 'PASSED'),
    ).toEqual([
      ['a', 'FAILED'],
      ['b', 'PASSED'],
      ['c', 'PASSED'],
    ]);
  });

  test('a bare status made 4.1.0 raise', () => {
    expect(() => parseOld('seaborn', 'PASSED')).toThrow(LogParserError);
  });
});

describe('sympy', () => {
  test('headings of failures come first', () => {
    expect(parse('sympy', 'test_a ok', '____ s/t.py:test_b ____', 'test_b F', 'test_c E', 'test_d f')).toEqual([
      ['s/t.py:test_b', 'FAILED'],
      ['test_a', 'PASSED'],
      ['test_b', 'FAILED'],
      ['test_c', 'ERROR'],
    ]);
  });

  test('the last test of a file is hidden by the file’s own outcome', () => {
    expect(parse('sympy', 'test_z ok                                     [FAIL]')).toEqual([]);
  });

  test('a heading reaches from the first space of its line to the last', () => {
    expect(parse('sympy', 'x y.py: a.py:z w')).toEqual([['y.py: a.py:z', 'FAILED']]);
    expect(parse('sympy', 'a.py:b c', ' a.py:b', 'x a.py:', '  .py: ')).toEqual([[' .py:', 'FAILED']]);
  });
});

describe('django', () => {
  test('outcomes stand behind dots', () => {
    const lines = [
      'a (m) ... ok',
      'b (m) ... FAIL',
      'c (m) ... ERROR',
      "d (m) ... skipped 'x'",
      'e (m) ... expected failure',
    ];
    expect(parse('django', ...lines)).toEqual([
      ['a (m)', 'PASSED'],
      ['b (m)', 'FAILED'],
      ['c (m)', 'ERROR'],
      ['d (m)', 'SKIPPED'],
    ]);
  });

  test('an ok on a later line counts for the last test, even over its failure', () => {
    expect(parse('django', 'a (m) ... some output', 'more', 'okay')).toEqual([['a (m)', 'PASSED']]);
    expect(parse('django', 'a (m) ... FAIL', 'ok')).toEqual([['a (m)', 'PASSED']]);
  });

  test('a heading that holds dots counts twice, in the order of the rules', () => {
    expect(parse('django', 'FAIL: test_a (m.T) ... ERROR')).toEqual([
      ['test_a', 'FAILED'],
      ['FAIL: test_a (m.T)', 'ERROR'],
    ]);
    expect(parse('django', 'ERROR: test_b (m.T) ... FAIL')).toEqual([
      ['ERROR: test_b (m.T)', 'FAILED'],
      ['test_b', 'ERROR'],
    ]);
  });

  test('white space around a line goes before the dots are looked for', () => {
    expect(parse('django', ' a ... ', ' ... ok', 'b ... x', ' ok')).toEqual([['b', 'PASSED']]);
  });

  test('a heading that names no test makes it raise, as the official parser does', () => {
    expect(() => parse('django', 'FAIL: ')).toThrow(LogParserError);
    expect(parse('django', 'FAIL: test_a (m.T)')).toEqual([['test_a', 'FAILED']]);
  });

  test('a test that a message of Django interrupts is found by that message', () => {
    const silenced = 'Testing against Django installed in x\nSystem check identified some (1 silenced).\nok';
    expect(parse('django', `a (m)\t...\t${silenced}`)).toEqual([['a (m)', 'PASSED']]);
    expect(parse('django', 'b (m)\n...\nInternal Server Error: /x/\nok')).toEqual([['b (m)', 'PASSED']]);
    expect(parse('django', 'b (m)\n...\nInternal Server Error: /\nok')).toEqual([]);
    expect(parse('django', 'c\t...\tSystem check identified no issues (0 silenced)\nok')).toEqual([['c', 'PASSED']]);
  });

  test('one message without an end, and the next with one', () => {
    const log =
      'a\t...\tInternal Server Error: /x\nb\t...\tInternal Server Error: /y/\nok\nc\t...\tInternal Server Error: /z/\nok';
    expect(parse('django', log)).toEqual([
      ['b', 'PASSED'],
      ['c', 'PASSED'],
    ]);
  });
});
