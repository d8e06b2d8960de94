import { z } from 'zod';
import { metaOf } from './setting';

/** One variable of a service, for its documentation. */
export interface SettingDescription {
  readonly variable: string;
  /** As written in the environment; null: the variable has none. */
  readonly fallback: string | null;
  readonly required: boolean;
  readonly expected: string;
  readonly meaning: string;
  readonly secret: boolean;
}

/** What a service's schema says about its variables, in the schema's order. Throws for one that says nothing. */
export function describeConfig(schema: z.ZodObject): SettingDescription[] {
  return Object.entries(schema.shape as Record<string, z.ZodType>).map(([variable, member]) => {
    const { description, expected, fallback = null, secret = false, optional } = metaOf(member);
    if (description === undefined || expected === undefined) {
      throw new Error(`${variable} has no description: build it with env… and .describe()`);
    }
    return { variable, fallback, secret, expected, meaning: description, required: fallback === null && !optional };
  });
}
