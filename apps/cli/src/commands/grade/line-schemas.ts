import { problemLines, problemsOf } from '@assay/contracts';
import { EVAL_TYPES, PARSER_NAMES } from '@assay/grading';
import { z } from 'zod';
import { TestIds } from '@assay/suites';
import { LineError } from './json-lines/line-error';

const text = z.string({ error: 'expected a string' });
const parserName = text.refine((name) => PARSER_NAMES.includes(name), {
  error: `expected one of ${PARSER_NAMES.join(', ')}`,
});

/** A line of `assay grade logs`. Columns beside these are not looked at. */
export const LogLine = z.object({
  instance_id: text.min(1, { error: 'expected an instance id' }),
  log: text,
  FAIL_TO_PASS: TestIds,
  PASS_TO_PASS: TestIds,
  log_parser: parserName,
  eval_type: z.enum(EVAL_TYPES, { error: `expected one of ${EVAL_TYPES.join(', ')}` }),
  /** Null: there was no patch. Absent: it is not at hand. */
  model_patch: z.string({ error: 'expected a string or null' }).nullable().optional(),
});

/** A line of `assay grade parsers`. */
export const ParserLine = z.object({ parser: parserName, log: text });

/** The value as the schema has it. Throws LineError that names every wrong field, its value and what was expected. */
export function checked<T extends z.ZodObject>(schema: T, value: unknown): z.output<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new LineError(problemLines(problemsOf(parsed.error, value)).join('; '));
}
