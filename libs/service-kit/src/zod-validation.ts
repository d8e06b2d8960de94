import { HttpStatus, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { problemsOf } from '@assay/contracts';
import { z } from 'zod';
import { Refusal } from './refusal';

/**
 * Global pipe: parses every parameter whose class was made by nestjs-zod's `createZodDto`, and refuses (400) what does
 * not fit with all its problems: field, value, expectation; unknown keys by name.
 */
export class ZodValidation implements PipeTransform {
  transform(value: unknown, { metatype, type }: ArgumentMetadata): unknown {
    const schema = schemaOf(metatype);
    return schema === null ? value : validated(schema, value, `the request's ${type} is not valid`);
  }
}

/** Parses, or throws a `Refusal` 400 with all problems. `field` names a value that is not an object. */
export function validated<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  message: string,
  field?: string,
): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = problemsOf(parsed.error, value).map((problem) =>
    field !== undefined && problem.field === '(body)' ? { ...problem, field } : problem,
  );
  throw new Refusal(HttpStatus.BAD_REQUEST, message, problems);
}

function schemaOf(metatype: unknown): z.ZodType | null {
  if (typeof metatype !== 'function' || !('isZodDto' in metatype) || !('schema' in metatype)) return null;
  return metatype.schema instanceof z.ZodType ? metatype.schema : null;
}
