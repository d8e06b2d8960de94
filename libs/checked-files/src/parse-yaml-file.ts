import { type Document, LineCounter, parseDocument, visit } from 'yaml';
import type { z } from 'zod';
import { check, invalidFile, type InvalidFile, type LocatedProblem } from './located';
import { placeOf } from './yaml-places';

export interface YamlFile<T> extends Omit<InvalidFile, 'problems' | 'unit'> {
  readonly text: string;
  readonly schema: z.ZodType<T>;
  /** How the format is called in errors: `YAML`, or `YAML or JSON`. */
  readonly format?: string;
}

/**
 * One document of YAML, checked whole against its schema.
 * @throws TaskError of the given code with every problem at once, each with line:column, field, expectation and value
 */
export function parseYamlFile<T>({ text, schema, format = 'YAML', ...about }: YamlFile<T>): T {
  const invalid = (problems: LocatedProblem[]) => invalidFile({ ...about, problems });
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const syntax = [...document.errors, ...document.warnings, ...aliasesOf(document)];
  if (syntax.length > 0) {
    throw invalid(
      syntax.map(({ pos, message }) => {
        const { line, col: column } = lines.linePos(pos[0]);
        const value = text.split('\n')[line - 1]?.trim();
        return { field: '(syntax)', value, expected: `expected ${format} (${message})`, line, column };
      }),
    );
  }
  const checked = check(schema, document.toJS() as unknown);
  if (checked.ok) return checked.value;
  throw invalid(
    checked.problems.map(({ path, unknownKey, field, value, expected }) => {
      const place = placeOf(document, lines, path, unknownKey);
      return { field, value, expected, line: place?.line ?? null, column: place?.column ?? null };
    }),
  );
}

/** Aliases are refused: one can stand for a whole that contains itself, or for millions of values. */
function aliasesOf(document: Document): { pos: [number]; message: string }[] {
  const found: { pos: [number]; message: string }[] = [];
  visit(document, {
    Alias(_, { range, source }) {
      found.push({ pos: [range?.[0] ?? 0], message: `without aliases, found *${source}` });
    },
  });
  return found;
}
