import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { PROJECT_ROOT } from './fresh';

/** Path of a file or folder of the data that lies beside the checkout (`../shared/data`) and never in it. */
export function sharedData(name: string): string {
  return resolve(PROJECT_ROOT, '../shared/data', name);
}

/**
 * `describe` for tests that read `../shared/data`. Where that is absent they say so and count as skipped, under CI too:
 * a clean clone has no such folder.
 */
export function describeWithData(name: string, file: string, body: () => void): void {
  const path = sharedData(file);
  if (existsSync(path)) {
    describe(name, body);
    return;
  }
  process.stderr.write(`skipped "${name}": no ${path}\n`);
  // The body is not run: tables that it makes of the data would be empty.
  describe.skip(`${name} (skipped: no ${path})`, () => {
    test('needs the data', () => undefined);
  });
}
