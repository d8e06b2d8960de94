import { z } from 'zod';

/** A value read from one environment variable: text in, `T` out. */
export type Setting<T> = z.ZodType<T, string | undefined>;

/** What a setting tells about itself, beside the meaning that `.describe()` gives it. */
export interface SettingMeta {
  /** In words, e.g. `a port from 0 to 65535`. */
  readonly expected: string;
  /** As it would be written in the environment; null: none. */
  readonly fallback: string | null;
  /** The value itself must not be shown. */
  readonly secret: boolean;
}

/**
 * Builds a setting.
 * @param expected what a legal value is, in words; part of every message about it
 * @param read the value, or `undefined` when the text is not legal
 * @param fallback used when the variable is absent or empty; `undefined`: the variable is required
 */
export function setting<T>(
  expected: string,
  read: (text: string) => T | undefined,
  fallback?: string,
  secret = false,
): Setting<T> {
  const reader = z.string({ error: `expected ${expected}` }).transform((text, context): T => {
    const value = read(text);
    if (value !== undefined) return value;
    context.addIssue({ code: 'custom', message: `expected ${expected}` });
    return z.NEVER;
  });
  const meta: SettingMeta = { expected, fallback: fallback ?? null, secret };
  return (fallback === undefined ? reader : z.prefault(reader, fallback)).meta({ ...meta });
}

type KnownMeta = Partial<SettingMeta> & { readonly description?: string | undefined; readonly optional: boolean };

/** What a setting says about itself, through wrappers such as `.optional()`. */
export function metaOf(schema: z.core.$ZodType): KnownMeta {
  const optional = schema instanceof z.ZodOptional;
  const inner: Partial<SettingMeta> = optional ? metaOf(schema.unwrap()) : {};
  return { ...inner, ...(z.globalRegistry.get(schema as z.ZodType) ?? {}), optional };
}
