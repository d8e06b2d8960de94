import { describeNeeding } from '@assay/testing';
import { spawnSync } from 'node:child_process';
import { pythonMatch } from './python-pattern';
import { PythonRandom } from './python-random';
import { pythonSlice } from './python-slice';

const range = (count: number) => Array.from({ length: count }, (_, index) => index);

function shuffled(count: number, seed: number): number[] {
  const items = range(count);
  new PythonRandom(seed).shuffle(items);
  return items;
}

// Of Python 3.11: items = list(range(10)); random.seed(S); random.shuffle(items)
test.each([
  [0, [7, 8, 1, 5, 3, 4, 2, 0, 9, 6]],
  [1, [6, 8, 9, 7, 5, 3, 0, 4, 1, 2]],
  [42, [7, 3, 2, 8, 5, 6, 9, 4, 0, 1]],
  [4_294_967_295, [0, 7, 1, 5, 2, 6, 4, 8, 3, 9]],
  [4_294_967_296, [8, 9, 3, 2, 4, 7, 0, 6, 5, 1]],
  [Number.MAX_SAFE_INTEGER, [4, 2, 7, 0, 5, 9, 6, 3, 8, 1]],
])('the seed %d shuffles ten as Python does', (seed, expected) => {
  expect(shuffled(10, seed)).toEqual(expected);
});

test.each([-1, 0.5, Number.NaN, 2 ** 53])('%d is no seed', (seed) => {
  expect(() => new PythonRandom(seed)).toThrow(RangeError);
});

test.each([0, 1])('%d items have one order', (count) => {
  expect(shuffled(count, 42)).toEqual(range(count));
});

const missing = spawnSync('python3', ['--version']).status === 0 ? null : 'python3 is not installed';

describeNeeding(missing, 'beside python3', () => {
  const python = (program: string, input: unknown): unknown => {
    const run = spawnSync('python3', ['-c', `import json, random, re, sys\ncases = json.load(sys.stdin)\n${program}`], {
      input: JSON.stringify(input),
      encoding: 'utf8',
      maxBuffer: 1e9,
    });
    expect(run.stderr).toBe('');
    return JSON.parse(run.stdout);
  };

  test('lists of many lengths are shuffled alike with many seeds', () => {
    const lengths = [2, 3, 31, 32, 33, 300, 500, 623, 624, 625, 2294];
    const seeds = [...range(20), 1337, 2 ** 31, 2 ** 32 + 12345, 2 ** 52 + 1];
    const cases = lengths.flatMap((count) => seeds.map((seed) => [count, seed] as const));
    const expected = python(
      'def shuffled(count, seed):\n' +
        '    items = list(range(count))\n    random.seed(seed)\n    random.shuffle(items)\n    return items\n' +
        'print(json.dumps([shuffled(*case) for case in cases]))',
      cases,
    );
    expect(cases.map(([count, seed]) => shuffled(count, seed))).toEqual(expected);
  });

  test('slices of lists of every small length are alike', () => {
    const bounds = ['', '0', '1', '2', '-1', '-2', '5', '-9', '+3', ' 4 '];
    const specs = bounds.flatMap((start) =>
      bounds.flatMap((stop) => [
        `${start}:${stop}`,
        ...['', '1', '2', '-1', '-2', '7'].map((step) => `${start}:${stop}:${step}`),
      ]),
    );
    const cases = [...specs, ...bounds.slice(1)].flatMap((spec) => range(6).map((count) => [count, spec] as const));
    const expected = python(
      'def sliced(count, spec):\n' +
        '    return list(range(count))[slice(*[int(x) if x else None for x in spec.split(":")])]\n' +
        'print(json.dumps([sliced(*case) for case in cases]))',
      cases,
    );
    expect(cases.map(([count, spec]) => pythonSlice(range(count), spec))).toEqual(expected);
  });

  test('patterns match alike, or are refused', () => {
    const ids = ['django__django-11099', 'Django__x', 'pylint-dev__pylint-4551', 'a.b', 'a-b', 'a_b', '', 'x\ny'];
    const patterns = [
      ...[
        '',
        'django',
        '^django',
        'jango',
        '.*jango',
        'django__django-1109$',
        '(django|pylint)',
        '(?i)django',
        '(?is)X.Y',
      ],
      ...[String.raw`a\.b`, String.raw`a\-b`, String.raw`a\_b`, 'a[._]b', String.raw`a[\-\_]b`, '[^d]', 'a.b', 'x.y'],
      ...[String.raw`\Adjango`, String.raw`.*99\Z`, String.raw`(?P<r>\w+?)__(?P=r)-\d+$`, String.raw`[\w.-]+$`],
      ...[String.raw`(\w)\w*__\1`, 'django(?=__)', '(?:a|b)', String.raw`.*-\d{4,5}`, 'a|', '(?!django)'],
    ];
    const cases = patterns.flatMap((pattern) => ids.map((id) => [pattern, id] as const));
    const expected = python('print(json.dumps([re.match(p, i) is not None for p, i in cases]))', cases);
    expect(cases.map(([pattern, id]) => pythonMatch(pattern)(id))).toEqual(expected);
  });
});

test.each(['(', '[', '*', 'a{,3}', '(?P<x', '(?i:a)', '[]a]', String.raw`\q`, 'a**'])('%j is refused', (pattern) => {
  expect(() => pythonMatch(pattern)).toThrow(`filter: expected a regular expression, got ${JSON.stringify(pattern)}`);
});
