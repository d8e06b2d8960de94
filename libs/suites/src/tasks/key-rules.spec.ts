import { z } from 'zod';
import { KEY_RULES } from './key-rules';
import { TaskToml } from './task-toml.schema';

/** Dotted names of all keys of the schema that are not tables of keys themselves. */
function keysOf(schema: z.core.JSONSchema.BaseSchema, prefix = ''): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const key = `${prefix}${name}`;
    const nested = (member as z.core.JSONSchema.BaseSchema).properties;
    return nested === undefined ? [key] : keysOf(member as z.core.JSONSchema.BaseSchema, `${key}.`);
  });
}

const KEYS = keysOf(z.toJSONSchema(TaskToml, { io: 'input' }));

test.each(KEYS)('there is a rule for %s', (key) => {
  const covered = KEY_RULES.some((rule) => key === rule.key || key.startsWith(`${rule.key}.`));
  expect(covered).toBe(true);
});

test.each(KEY_RULES.map(({ key }) => key))('the rule for %s is about a key of the schema', (ruled) => {
  expect(KEYS.some((key) => key === ruled || key.startsWith(`${ruled}.`))).toBe(true);
});

test('every rule says why', () => {
  for (const { why } of KEY_RULES) expect(why.length).toBeGreaterThan(3);
});
