/**
 * Makes one file of the Action's source, with nothing in it but what Node itself lacks: `npm run action:bundle` writes
 * .github/actions/dispatch/dist/index.js, which is committed because GitHub runs it as it is. A test holds it against
 * the source.
 *
 *   node apps/action/bundle.mjs FILE
 */
import { build } from 'esbuild';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: ['apps/action/src/main.ts'],
  bundle: true,
  write: false,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  charset: 'utf8',
  legalComments: 'none',
  tsconfigRaw: {},
  banner: { js: '// Made from apps/action by `npm run action:bundle`: change the source, not this file.' },
  logLevel: 'warning',
});

const [, , file] = process.argv;
if (file === undefined) {
  process.stderr.write('usage: node apps/action/bundle.mjs FILE\n');
  process.exitCode = 2;
} else {
  await mkdir(dirname(resolve(file)), { recursive: true });
  await writeFile(file, outputFiles[0].contents);
}
