import { check, invalidFile, type LocatedProblem } from '@assay/checked-files';
import type { Phase } from '@assay/contracts';
import { parse, TomlError } from 'smol-toml';
import { TaskToml } from './task-toml.schema';
import { lineOfKey } from './toml-lines';

export interface ParsedToml {
  readonly toml: TaskToml;
  readonly unknownKeys: readonly string[];
}

/**
 * Checks the text of a task.toml. Unknown keys are set aside and returned; everything else that is wrong is thrown as
 * one TaskError `task_invalid` with line, field, value and expectation of each problem.
 */
export function parseTaskToml(text: string, file: string, phase: Phase): ParsedToml {
  const invalid = (problems: readonly LocatedProblem[]) =>
    invalidFile({ code: 'task_invalid', phase, file, wanted: 'a valid task', problems });
  const located = (path: readonly PropertyKey[], value: unknown, expected: string): LocatedProblem => ({
    field: path.map(String).join('.'),
    value,
    expected,
    line: lineOfKey(text, path),
    column: null,
  });

  const input = readToml(text, invalid);
  const unknownKeys: string[] = [];
  let checked = check(TaskToml, input);
  if (!checked.ok) {
    for (const { path } of checked.problems.filter(({ unknownKey }) => unknownKey)) {
      unknownKeys.push(path.map(String).join('.'));
      removeKey(input, path);
    }
    checked = check(TaskToml, input);
  }
  if (!checked.ok) throw invalid(checked.problems.map(({ path, value, expected }) => located(path, value, expected)));
  const toml = checked.value;
  if (toml.version !== undefined && toml.schema_version !== undefined && toml.version !== toml.schema_version) {
    throw invalid([
      located(['version'], toml.version, `expected the same as schema_version (${toml.schema_version}) or no such key`),
    ]);
  }
  return { toml, unknownKeys };
}

function readToml(text: string, invalid: (problems: LocatedProblem[]) => Error): Record<string, unknown> {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const what = (error.message.split('\n')[0] ?? '').replace('Invalid TOML document: ', '');
    const value = text.split('\n')[error.line - 1]?.trim();
    throw invalid([
      { field: '(syntax)', value, expected: `expected TOML (${what})`, line: error.line, column: error.column },
    ]);
  }
}

function removeKey(input: Record<string, unknown>, path: readonly PropertyKey[]): void {
  const parent = path
    .slice(0, -1)
    .reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown>)[key], input) as Record<
    PropertyKey,
    unknown
  >;
  Reflect.deleteProperty(parent, path.at(-1) ?? '');
}
