import { readdirSync } from 'node:fs';

/** As the dispatcher takes them. */
const SUITE_FILE = /^([A-Za-z0-9][A-Za-z0-9._-]{0,99})\.yaml$/;

/** The suite that a file name stands for; null: it stands for none, and no server finds it. */
export function suiteOfFile(name: string): string | null {
  return SUITE_FILE.exec(name)?.[1] ?? null;
}

/** The names of the suites in a folder, sorted. */
export function suitesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? [] : (suiteOfFile(entry.name) ?? [])))
    .sort();
}
