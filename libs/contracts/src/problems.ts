import type { z } from 'zod';

/** One thing wrong with an input: where, what stood there, what was expected. */
export interface Problem {
  readonly field: string;
  readonly value: unknown;
  readonly expected: string;
}

/** The problems of a failed parse of `input`, each with its field's path, the value found there and the expectation. */
export function problemsOf(error: z.ZodError, input: unknown): Problem[] {
  return error.issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => {
        const path = [...issue.path, key];
        return { field: dotted(path), value: valueAt(input, path), expected: 'no such key' };
      });
    }
    return [{ field: dotted(issue.path), value: valueAt(input, issue.path), expected: issue.message }];
  });
}

/** `field: expected …, got …` for each problem, one line each. */
export function problemLines(problems: readonly Problem[]): string[] {
  return problems.map(({ field, value, expected }) => `${field}: ${expected}, got ${shown(value)}`);
}

function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

function dotted(path: readonly PropertyKey[]): string {
  return path.length === 0 ? '(body)' : path.map(String).join('.');
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined,
    input,
  );
}

/** Makes the compiler prove that a switch over a union is total. */
export function assertNever(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}
