import { z } from 'zod';

const ids = z.array(z.string());

/** A list of test ids, as a JSON array or as a string that holds one: both are in use. */
export const TestIds = z.unknown().transform((value, context) => {
  const parsed = ids.safeParse(typeof value === 'string' ? jsonOrNull(value) : value);
  if (parsed.success) return parsed.data;
  context.addIssue({ code: 'custom', message: 'expected a list of strings, or a string that holds one as JSON' });
  return z.NEVER;
});

function jsonOrNull(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return null; // no list: said above
  }
}
