import { z } from 'zod';
import { SuiteFile } from '../suite/suite.schema';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** One field of a suite file, in words. */
export interface SuiteField {
  /** Dotted path; for a source, with the kind that has it: `source.file (swebench)`. */
  readonly field: string;
  readonly type: string;
  /** Its default as JSON, or `required`. */
  readonly value: string;
  readonly meaning: string;
}

/** All fields that a suite file may have, from its schema, in its order. */
export function suiteFields(): SuiteField[] {
  return fieldsOf(z.toJSONSchema(SuiteFile, { io: 'input' }), '', '');
}

/** The fields as a table of Markdown. */
export function suiteFieldTable(): string {
  const rows = suiteFields().map(
    ({ field, type, value, meaning }) => `| \`${field}\` | ${type} | ${value} | ${meaning} |`,
  );
  return ['| Field | Type | Default | Meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function fieldsOf(schema: JsonSchema, prefix: string, suffix: string): SuiteField[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const field = `${prefix}${name}`;
    const value = member as JsonSchema;
    if (value.properties !== undefined) return fieldsOf(value, `${field}.`, suffix);
    if (value.oneOf !== undefined) {
      return value.oneOf.flatMap((variant) => fieldsOf(variant, `${field}.`, ` (${kindOf(variant)})`));
    }
    const required = schema.required?.includes(name) === true;
    return [
      {
        field: `${field}${suffix}`,
        type: typeOf(value),
        value: required ? 'required' : value.default === undefined ? 'none' : code(value.default),
        meaning: value.description ?? '',
      },
    ];
  });
}

function kindOf(variant: unknown): string {
  const kind = (variant as JsonSchema).properties?.['kind'] as JsonSchema | undefined;
  return String(kind?.const);
}

function typeOf(schema: JsonSchema): string {
  if (schema.const !== undefined) return code(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(code).join(', ');
  if (schema.anyOf !== undefined) return schema.anyOf.map((member) => typeOf(member)).join(' or ');
  if (schema.type === 'array') return `list of ${typeOf(schema.items as JsonSchema)}s`;
  if (schema.type === 'integer') return 'whole number';
  return schema.type === 'object' ? 'keys and values' : String(schema.type);
}

function code(value: unknown): string {
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}
