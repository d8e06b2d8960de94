import { problemLines, problemsOf, type Phase, type Problem } from '@assay/contracts';
import { type FailureCode, TaskError } from '@assay/failures';
import { z } from 'zod';

/** A problem with its place in a file; line and column count from 1, null where it has no place of its own. */
export interface LocatedProblem extends Problem {
  readonly line: number | null;
  readonly column: number | null;
}

export interface InvalidFile {
  /** What is thrown: `suite_invalid`, `task_invalid`, `row_invalid`. */
  readonly code: FailureCode;
  readonly phase: Phase;
  readonly file: string;
  /** Ends the first line: `a valid suite`. */
  readonly wanted: string;
  /** What `line` counts, where that is not lines: rows of a Parquet file. */
  readonly unit?: 'line' | 'row';
  readonly problems: readonly LocatedProblem[];
}

/** One TaskError for everything that is wrong with a file: a line each with line:column, field, expectation, value. */
export function invalidFile({ code, phase, file, wanted, unit, problems }: InvalidFile): TaskError {
  const lines = problems.map(
    (problem) => `  ${unit === 'row' ? 'row ' : ''}${place(problem)}${problemLines([problem]).join('')}`,
  );
  return new TaskError(`${file} is not ${wanted}:\n${lines.join('\n')}`, {
    code,
    phase,
    details: { file, problems: problems.map((problem) => ({ ...problem, value: problem.value ?? null })) },
  });
}

function place({ line, column }: LocatedProblem): string {
  if (line === null) return '';
  return column === null ? `${line} ` : `${line}:${column} `;
}

/** The result of a check: the typed value, or every problem with the path of the field that has it. */
export type Checked<T> = { ok: true; value: T } | { ok: false; problems: PathProblem[] };

export interface PathProblem extends Problem {
  readonly path: readonly PropertyKey[];
  /** The key itself is wrong, not the value behind it. */
  readonly unknownKey: boolean;
}

/** Checks `input` against `schema` and words every problem as an expectation. */
export function check<T>(schema: z.ZodType<T>, input: unknown): Checked<T> {
  const parsed = schema.safeParse(input, { error: expectation });
  if (parsed.success) return { ok: true, value: parsed.data };
  const problems = parsed.error.issues.flatMap((issue) => {
    const single = new z.ZodError([issue]);
    const unknownKey = issue.code === 'unrecognized_keys';
    return problemsOf(single, input).map((problem, index) => ({
      ...problem,
      unknownKey,
      path: unknownKey ? [...issue.path, issue.keys[index] ?? ''] : issue.path,
    }));
  });
  return { ok: false, problems };
}

/** zod's issue as an expectation; undefined leaves zod's own wording. */
function expectation(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${article(issue.expected)}`;
    case 'invalid_value':
      return `expected ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`;
    case 'invalid_union':
      return issue.discriminator === undefined ? undefined : 'expected one of the known kinds';
    case 'too_small':
      return `expected ${sized(issue.origin, issue.minimum, issue.inclusive === false ? 'more than' : 'at least')}`;
    case 'too_big':
      return `expected ${sized(issue.origin, issue.maximum, issue.inclusive === false ? 'less than' : 'at most')}`;
    case 'invalid_format':
    case 'not_multiple_of':
    case 'unrecognized_keys':
    case 'invalid_key':
    case 'invalid_element':
    case 'custom':
      return undefined;
  }
}

function sized(origin: string, bound: number | bigint, comparison: string): string {
  const unit = origin === 'string' ? ' characters' : origin === 'array' ? ' entries' : '';
  return `${comparison} ${String(bound)}${unit}`;
}

function article(type: string): string {
  if (type === 'record') return 'a table';
  if (type === 'int') return 'a whole number';
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}
