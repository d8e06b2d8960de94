import { redactText } from '@assay/telemetry';
import { z } from 'zod';
import { metaOf } from './setting';

/** BSD's EX_CONFIG: the exit code of a process whose settings are wrong. */
export const EX_CONFIG = 78;

/** Some settings are wrong; the message lists all of them, one a line. */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(
      `${problems.length} ${problems.length === 1 ? 'setting is' : 'settings are'} wrong:\n  ${problems.join('\n  ')}`,
    );
    this.name = 'ConfigError';
  }
}

/**
 * Reads a service's settings from environment variables. An empty variable counts as absent; variables that the schema
 * does not name are left alone.
 * @throws ConfigError that names every wrong variable with its value (secrets and passwords masked) and the expectation
 */
export function loadConfig<T>(schema: z.ZodType<T>, env: NodeJS.ProcessEnv): T {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map((issue) => {
    const name = issue.path.map(String).join('.');
    return `${name === '' ? '(all)' : name}: ${issue.message}${name === '' ? '' : `, got ${shown(schema, name, given)}`}`;
  });
  throw new ConfigError(lines);
}

function shown(schema: z.core.$ZodType, name: string, given: Record<string, string | undefined>): string {
  const value = given[name];
  if (value === undefined) return 'nothing';
  const member = schema instanceof z.ZodObject ? (schema.shape as Record<string, z.ZodType>)[name] : undefined;
  if (member !== undefined && metaOf(member).secret === true) return '(hidden)';
  return JSON.stringify(redactText(value.length > 200 ? `${value.slice(0, 200)}…` : value));
}
