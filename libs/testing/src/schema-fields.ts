import { z } from 'zod';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** One field of a file that people write, in words. */
export interface SchemaField {
  /** Dotted path, `[]` after a list; where there are several kinds, with the one that has it: `source.file (swebench)`. */
  readonly field: string;
  readonly type: string;
  /** Its default as JSON, `required`, or `none`. */
  readonly value: string;
  readonly meaning: string;
}

/** All fields that a file of this schema may have, in its order. */
export function schemaFields(schema: z.ZodType): SchemaField[] {
  return fieldsOf(z.toJSONSchema(schema, { io: 'input' }), '', '');
}

/** The fields as a table of Markdown. */
export function schemaFieldTable(schema: z.ZodType): string {
  const rows = schemaFields(schema).map(
    ({ field, type, value, meaning }) => `| \`${field}\` | ${type} | ${value} | ${meaning} |`,
  );
  return ['| Field | Type | Default | Meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function fieldsOf(schema: JsonSchema, prefix: string, suffix: string): SchemaField[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const value = member as JsonSchema;
    const required = schema.required?.includes(name) === true;
    const own: SchemaField = {
      field: `${prefix}${name}${suffix}`,
      type: typeOf(value),
      value: required ? 'required' : value.default === undefined ? 'none' : code(value.default),
      meaning: value.description ?? '',
    };
    const kinds = kindsOf(value);
    const path = `${prefix}${name}${value.type === 'array' ? '[]' : ''}.`;
    const below = kinds.flatMap((kind) => fieldsOf(kind, path, kinds.length > 1 ? ` (${nameOf(kind)})` : suffix));
    // A group that says nothing of itself is only the path of its fields.
    return kinds.length > 0 && value.description === undefined ? below : [own, ...below];
  });
}

/** The objects that a value, or each entry of a list, may be; none if it is something else. */
function kindsOf(value: JsonSchema): JsonSchema[] {
  if (value.properties !== undefined) return [value];
  if (value.type === 'array') return kindsOf(value.items as JsonSchema);
  return [...(value.oneOf ?? []), ...(value.anyOf ?? [])].flatMap((member) => kindsOf(member));
}

/** What tells this kind from others: the value of its first constant field. */
function nameOf(kind: JsonSchema): string {
  const constants = Object.values(kind.properties ?? {}).map((member) => (member as JsonSchema).const);
  return String(constants.find((constant) => constant !== undefined));
}

function typeOf(schema: JsonSchema): string {
  if (schema.const !== undefined) return code(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(code).join(', ');
  if (schema.anyOf !== undefined) return schema.anyOf.map((member) => typeOf(member)).join(' or ');
  if (schema.type === 'array') {
    const items = schema.items as JsonSchema;
    return kindsOf(items).length > 0 || items.type === 'object' ? 'list' : `list of ${plural(typeOf(items))}`;
  }
  if (schema.type === 'integer') return 'whole number';
  return schema.type === 'object' ? 'keys and values' : String(schema.type);
}

function plural(type: string): string {
  return type.startsWith('`') ? type : `${type}s`;
}

function code(value: unknown): string {
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}
