import type { Digest } from '@assay/contracts';
import { TaskError } from '@assay/failures';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type Document, LineCounter, parseDocument, visit } from 'yaml';
import { check, invalidFile, type LocatedProblem } from '../problems/located';
import { SuiteFile } from './suite.schema';
import { placeOf } from './yaml-places';

/** A checked suite file. The paths of its source are absolute: relative ones are looked up beside the file. */
export interface Suite extends SuiteFile {
  readonly file: string;
  /** sha256 of the file's bytes. */
  readonly digest: Digest;
}

/**
 * Reads and checks a suite file, not yet its tasks (`openSource` does).
 * @throws TaskError `suite_invalid` with every problem at once, each with line:column, field, expectation and value
 */
export async function loadSuite(file: string): Promise<Suite> {
  const bytes = await readFile(file).catch((cause: unknown) => {
    throw new TaskError(`cannot read the suite file ${file}: ${String((cause as { message?: unknown }).message)}`, {
      code: 'suite_invalid',
      phase: 'dispatch',
      details: { file },
      cause,
    });
  });
  const definition = parseSuite(bytes.toString('utf8'), file);
  const { source } = definition;
  const located = (path: string) => resolve(dirname(file), path);
  return {
    ...definition,
    source:
      source.kind === 'harbor'
        ? { ...source, path: located(source.path) }
        : {
            ...source,
            file: located(source.file),
            ...(source.digests === undefined ? {} : { digests: located(source.digests) }),
          },
    file,
    digest: createHash('sha256').update(bytes).digest('hex') as Digest,
  };
}

/** The text of a suite file, checked whole. `file` is only named in errors. */
export function parseSuite(text: string, file: string): SuiteFile {
  const invalid = (problems: LocatedProblem[]) =>
    invalidFile({ code: 'suite_invalid', phase: 'dispatch', file, wanted: 'a valid suite', problems });
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const syntax = [...document.errors, ...document.warnings, ...aliasesOf(document)];
  if (syntax.length > 0) {
    throw invalid(
      syntax.map(({ pos, message }) => {
        const { line, col: column } = lines.linePos(pos[0]);
        const value = text.split('\n')[line - 1]?.trim();
        return { field: '(syntax)', value, expected: `expected YAML (${message})`, line, column };
      }),
    );
  }
  const checked = check(SuiteFile, document.toJS() as unknown);
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
