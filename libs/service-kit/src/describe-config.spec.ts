import { z } from 'zod';
import { commonConfig, describeConfig, envInt, envSecret, secretFile } from './index';

test('every variable is told with meaning, expectation and fallback', () => {
  const schema = z.object({
    SLOTS: envInt(2, { min: 1 }).describe('Trials at the same time'),
    KEY: envSecret().describe('A key'),
    TOKEN_FILE: secretFile().optional().describe('A token'),
  });
  expect(describeConfig(schema)).toEqual([
    {
      variable: 'SLOTS',
      fallback: '2',
      required: false,
      expected: 'a whole number of at least 1',
      meaning: 'Trials at the same time',
      secret: false,
    },
    { variable: 'KEY', fallback: null, required: true, expected: 'a secret', meaning: 'A key', secret: true },
    {
      variable: 'TOKEN_FILE',
      fallback: null,
      required: false,
      expected: 'the path of a file with the secret (mode 0600, 0440 or 0400, no link)',
      meaning: 'A token',
      secret: false,
    },
  ]);
});

test('a description outside or inside `optional` is the same', () => {
  const of = (member: z.ZodType): string | undefined => describeConfig(z.object({ A: member }))[0]?.meaning;
  expect(of(envInt().describe('x').optional())).toBe('x');
  expect(of(envInt().optional().describe('x'))).toBe('x');
});

test('a variable without a meaning is a mistake', () => {
  expect(() => describeConfig(z.object({ A: envInt() }))).toThrow('A has no description');
  expect(() => describeConfig(z.object({ A: z.string().describe('x') }))).toThrow('A has no description');
});

test('what the common settings say is whole', () => {
  for (const { meaning, expected } of describeConfig(z.object(commonConfig('grader')))) {
    expect(meaning.length).toBeGreaterThan(20);
    expect(expected).not.toBe('');
  }
});
