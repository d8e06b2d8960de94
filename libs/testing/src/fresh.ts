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
