import { TaskError } from '@assay/failures';
import fc from 'fast-check';
import { z } from 'zod';
import { parseYamlFile } from './parse-yaml-file';

const Garden = z.strictObject({
  beds: z.array(z.strictObject({ plant: z.string().min(2), rows: z.int().positive() })).min(1),
  open: z.boolean().default(true),
});

function parse(text: string) {
  const about = { code: 'suite_invalid', phase: 'dispatch', file: 'garden.yaml', wanted: 'a garden' } as const;
  return parseYamlFile({ ...about, text, schema: Garden });
}

function failureOf(text: string): TaskError {
  try {
    parse(text);
  } catch (error) {
    expect(error).toBeInstanceOf(TaskError);
    return error as TaskError;
  }
  throw new Error('the file is valid');
}

test('a valid file is its typed value, with defaults', () => {
  expect(parse('beds: [{ plant: leek, rows: 2 }]')).toEqual({ beds: [{ plant: 'leek', rows: 2 }], open: true });
});

test('every problem is told at once, with line, column, field, expectation and value', () => {
  const { message, code, phase, details } = failureOf('beds:\n  - { plant: x, rows: 0 }\n  - { plant: 7 }\nopne: no\n');
  expect(message.split('\n')).toEqual([
    'garden.yaml is not a garden:',
    '  2:14 beds.0.plant: expected at least 2 characters, got "x"',
    '  2:23 beds.0.rows: expected more than 0, got 0',
    '  3:14 beds.1.plant: expected a string, got 7',
    '  3:5 beds.1.rows: expected a number, got nothing',
    '  4:1 opne: no such key, got "no"',
  ]);
  expect({ code, phase }).toEqual({ code: 'suite_invalid', phase: 'dispatch' });
  expect(details).toMatchObject({ file: 'garden.yaml', problems: { length: 5 } });
});

test.each([
  ['an open bracket', 'beds: [', '(syntax): expected YAML ('],
  [
    'a key twice',
    'open: true\nopen: true\n',
    '  2:1 (syntax): expected YAML (Map keys must be unique), got "open: true"',
  ],
  ['an unknown tag', 'open: !!js/function x', 'expected YAML (Unresolved tag'],
  ['an alias', 'beds: &all []\nopen: *all\n', '  2:7 (syntax): expected YAML (without aliases, found *all)'],
  ['a second document', 'open: true\n---\nopen: true\n', 'multiple documents'],
  ['nothing at all', '', '(body): expected an object, got null'],
])('%s is no such file', (_, text, expected) => {
  expect(failureOf(text).message).toContain(expected);
});

test('aliases that would stand for millions of values are refused before they are made', () => {
  const levels = Array.from({ length: 30 }, (_, n) => `l${n + 1}: &l${n + 1} [*l${n}, *l${n}]`);
  expect(failureOf(['l0: &l0 [x]', ...levels].join('\n')).message).toContain('without aliases');
});

test('no text makes anything but a value or a TaskError', () => {
  const piece = fc.constantFrom('beds', 'plant', ':', ' ', '\n', '-', '{', '}', '[', ']', '&x', '*x', '!', '"', '1');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      expect(failureOf(pieces.join('')).message).toContain('garden.yaml is not a garden');
    }),
    { numRuns: 300 },
  );
});
