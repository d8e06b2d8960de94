import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** The checkout's root. */
export const PROJECT_ROOT = resolve(__dirname, '../../..');

/**
 * Holds a generated document against what the code says now. With ASSAY_UPDATE_DOCS=1 (`npm run docs`) it is written
 * instead.
 * @param file path from the project's root
 */
export function expectFresh(file: string, content: string): void {
  const path = join(PROJECT_ROOT, file);
  if (process.env['ASSAY_UPDATE_DOCS'] === '1') {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  const found = existsSync(path) ? readFileSync(path, 'utf8') : '';
  if (found !== content) throw new Error(`${file} is not what the code says now: run \`npm run docs\``);
}

/** Holds what stands between a document's two table markers against what the code says now; as `expectFresh`. */
export function expectFreshTable(file: string, table: string): void {
  const text = readFileSync(join(PROJECT_ROOT, file), 'utf8');
  const parts = /^([\s\S]*<!-- table:start -->\n)[\s\S]*(<!-- table:end -->[\s\S]*)$/.exec(text);
  if (parts === null) throw new Error(`${file} has no table markers`);
  expectFresh(file, `${parts[1] ?? ''}\n${table}\n\n${parts[2] ?? ''}`);
}
