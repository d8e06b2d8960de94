import fc from 'fast-check';
import { matchesPattern, patternProblem } from './match-pattern';

test.each([
  [
    '^v[0-9]+\\.[0-9]+\\.0$',
    ['v1.2.0', 'v10.20.0'],
    ['v1.2.1', 'v1.2.0-preview.0', 'xv1.2.0', 'v1.2.0\n', 'V1.2.0', ''],
  ],
  ['^(a|bc)$', ['a', 'bc'], ['abc', 'b', 'ac']],
  ['^(?:a|)b?$', ['', 'a', 'ab', 'b'], ['aa', 'bb']],
  ['^a{2}$', ['aa'], ['a', 'aaa']],
  ['^a{2,}$', ['aa', 'aaaaa'], ['a']],
  ['^a{1,3}$', ['a', 'aa', 'aaa'], ['', 'aaaa']],
  ['^\\d\\w\\-\\.$', ['1_-.'], ['a_-.', '1_-x']],
  ['^[^a-c]$', ['d', '-'], ['b', '', 'dd']],
  ['^[a\\-\\]]+$', ['a-]'], ['b']],
  ['^[a-]+$', ['a-a'], ['b']],
  ['^.$', ['x', '.'], ['\n', '\u2028', '']],
  ['^$', [''], ['x']],
  ['^\\\\$', ['\\'], ['\\\\']],
])('%s takes the whole text or nothing', (pattern, taken, left) => {
  expect(taken.filter((text) => !matchesPattern(pattern, text))).toEqual([]);
  expect(left.filter((text) => matchesPattern(pattern, text))).toEqual([]);
});

test.each([
  ['v1', 'anchored at both ends'],
  ['^v1', 'anchored at both ends'],
  ['v1$', 'anchored at both ends'],
  ['^v1\\$', 'anchored at both ends'],
  ['^', 'anchored at both ends'],
  ['', 'anchored at both ends'],
  ['^a$|^b$', 'found "$" at character 3'],
  ['^a|b$', 'put alternatives in parentheses'],
  ['^a^b$', 'found "^" at character 3'],
  ['^*a$', 'found "*" at character 2'],
  ['^a**$', 'found "*" at character 4'],
  ['^a+?$', 'found "?" at character 4'],
  ['^a{,3}$', 'found "{" at character 3'],
  ['^a{3,1}$', 'repeats from low to high'],
  ['^a{101}$', 'of at most 100'],
  ['^a{1,999}$', 'of at most 100'],
  ['^(a$', 'whose parentheses are closed'],
  ['^a)$', 'found ")" at character 3'],
  ['^[a$', 'whose brackets are closed'],
  ['^[]$', 'a class with something in it'],
  ['^[z-a]$', 'a range from low to high, found z-a'],
  ['^[[:alpha:]]$', 'expected \\[ for a bracket'],
  ['^(?=a)$', 'without look-arounds'],
  ['^(?<n>a)$', 'without look-arounds'],
  ['^(a)\\1$', 'a sign after the backslash, found "1"'],
  ['^\\s$', 'a sign after the backslash, found "s"'],
  ['^((a{100}){100}){100}$', 'its repeats multiply'],
  [`^${'a'.repeat(200)}$`, 'at most 200 characters'],
])('%s is refused, and the message says why', (pattern, expected) => {
  expect(patternProblem(pattern)).toContain(expected);
  expect(() => matchesPattern(pattern, 'a')).toThrow(expected);
});

const atom = fc.constantFrom('a', 'b', '.', '\\.', '[ab]', '[^a]', '[a-c-]', '\\d', '\\w', '0', '-');
const repeat = fc.constantFrom('', '', '?', '*', '+', '{2}', '{0}', '{1,}', '{0,2}', '{1,3}');
const body = fc.letrec<{ sequence: string; part: string }>((tie) => ({
  sequence: fc.array(tie('part'), { maxLength: 4 }).map((parts) => parts.join('')),
  part: fc.oneof(
    { maxDepth: 3 },
    fc.tuple(atom, repeat).map((both) => both.join('')),
    fc.tuple(tie('sequence'), tie('sequence'), repeat).map(([one, other, times]) => `(${one}|${other})${times}`),
  ),
})).sequence;

test('a pattern that is taken means what it means in JavaScript', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '.', '0', '-', '\n'), maxLength: 8 });
  fc.assert(
    fc.property(body, text, (inner, subject) => {
      const pattern = `^${inner}$`;
      fc.pre(patternProblem(pattern) === null);
      expect(matchesPattern(pattern, subject)).toBe(new RegExp(pattern).test(subject));
    }),
    { numRuns: 2000 },
  );
});

test('no text is a pattern that JavaScript refuses, nor makes anything but an answer', () => {
  const signs = fc.string({ unit: fc.constantFrom(...Array.from('^$()[]{}|\\?*+-.,ab09d:=')), maxLength: 12 });
  fc.assert(
    fc.property(signs, (inner) => {
      const pattern = `^${inner}$`;
      if (patternProblem(pattern) === null) expect(() => new RegExp(pattern)).not.toThrow();
    }),
    { numRuns: 2000 },
  );
});

test.each(['^(a+)+$', '^(a|a)*$', '^(a*)*b$', '^a*a*a*a*a*a*a*a*$', '^(a?){100}a{100}$'])(
  '%s, which makes others go back without end, reads a long text once',
  (pattern) => {
    const started = process.cpuUsage();
    expect(matchesPattern(pattern, `${'a'.repeat(5000)}!`)).toBe(false);
    const { user } = process.cpuUsage(started);
    expect(user).toBeLessThan(10_000_000);
  },
);
