import { problemLines } from '@assay/contracts';
import type { TaskError } from '@assay/failures';
import { z } from 'zod';

const Located = z.object({
  file: z.string(),
  problems: z
    .array(
      z.object({
        field: z.string(),
        value: z.unknown(),
        expected: z.string(),
        line: z.int().nullable(),
        column: z.int().nullable(),
      }),
    )
    .min(1),
});

/** What is wrong, a line for each problem: `file:line:column field: expectation, value` where a place is known. */
export function problemText({ message, details }: TaskError): string {
  const located = Located.safeParse(details);
  if (!located.success) return message;
  const { file, problems } = located.data;
  return problems
    .map((problem) => {
      const place = [file, problem.line, problem.column].filter((part) => part !== null).join(':');
      return `${place} ${problemLines([problem]).join('')}`;
    })
    .join('\n');
}
