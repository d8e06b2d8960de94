import { readFile } from 'node:fs/promises';
import { fileLines } from '../files/file-lines';
import { jsonMembers } from './json-members';
import type { Entry } from './prediction';
import { unreadable } from './unreadable';

/** The entries of JSON lines, one after the other; blank lines are skipped. What is no JSON comes as its text. */
export async function* lineEntries(file: string): AsyncGenerator<Entry> {
  let number = 0;
  for await (const line of fileLines(file)) {
    number += 1;
    const text = number === 1 ? withoutMark(line) : line;
    if (text.trim() !== '') yield { place: `${file}:${number}`, key: null, value: jsonOrText(text) };
  }
}

/** The entries of one JSON list, or of one object with the ids as keys. @throws TaskError `predictions_unreadable` */
export async function* jsonEntries(file: string): AsyncGenerator<Entry> {
  const text = withoutMark(await readFile(file, 'utf8'));
  for (const { key, value, line } of membersOf(text, file)) yield { place: `${file}:${line}`, key, value };
}

/** The entries of files that hold one prediction each. */
export async function* fileEntries(files: readonly string[]): AsyncGenerator<Entry> {
  for (const file of files) {
    const text = withoutMark(await readFile(file, 'utf8'));
    yield { place: file, key: null, value: jsonOrText(text) };
  }
}

function membersOf(text: string, file: string) {
  try {
    return jsonMembers(text);
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
    const position = /at position (\d+)/.exec(error.message)?.[1];
    const line = position === undefined ? '' : `:${text.slice(0, Number(position)).split('\n').length}`;
    throw unreadable(
      `${file}${line}`,
      `expected a JSON list of predictions, or an object of them by instance id (${error.message})`,
      error,
    );
  }
}

/** The value of the JSON text; what is no JSON stays text, which is no prediction. */
function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Without the byte order mark that some editors put in front. */
function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, '');
}
