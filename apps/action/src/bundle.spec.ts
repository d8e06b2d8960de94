import { ACTION_BUNDLE, PROJECT_ROOT, withTempDir } from '@assay/testing';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';

const read = (file: string) => readFileSync(join(PROJECT_ROOT, file), 'utf8');

interface ActionFile {
  readonly inputs: Readonly<Record<string, { readonly required?: boolean; readonly default?: string }>>;
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly runs: unknown;
}
const action = parse(read('.github/actions/dispatch/action.yml')) as ActionFile;
const bundle = readFileSync(ACTION_BUNDLE, 'utf8');

test('the bundle that GitHub runs is that of the source, byte for byte: `npm run action:bundle` makes it', () =>
  withTempDir(async (dir) => {
    const file = join(dir, 'index.js');
    await promisify(execFile)(process.execPath, [join(PROJECT_ROOT, 'apps/action/bundle.mjs'), file]);
    expect((await readFile(file)).equals(await readFile(ACTION_BUNDLE))).toBe(true);
  }));

test('the bundle holds nothing but this source, and loads nothing but what Node has', () => {
  const sources = [...bundle.matchAll(/^\/\/ (\S+\/\S+)$/gm)].map((match) => match[1] ?? '');
  expect(sources).toContain('apps/action/src/main.ts');
  expect(sources.filter((source) => !source.startsWith('apps/action/src/'))).toEqual([]);
  const loaded = [...bundle.matchAll(/require\("([^"]+)"\)/g)].map((match) => match[1] ?? '');
  expect(loaded.filter((name) => !builtinModules.includes(name.replace('node:', '')))).toEqual([]);
});

test('action.yml runs the bundle on the Node that runners have', () => {
  expect(action.runs).toEqual({ using: 'node24', main: 'dist/index.js' });
});

test('action.yml has the inputs that the source reads, and the outputs that it writes', () => {
  const named = (pattern: RegExp) => [...bundle.matchAll(pattern)].map((match) => match[1] ?? '');
  const inputs = Object.keys(action.inputs);
  expect(inputs.filter((name) => !bundle.includes(`"${name}"`))).toEqual([]);
  expect(inputs).toEqual(expect.arrayContaining(named(/(?:inputOf|readNumber|countOf)\(env, "([a-z-]+)"/g)));
  expect(Object.keys(action.outputs).sort()).toEqual(named(/\.output\("([a-z-]+)"/g).sort());
});

test.each(['attempts', 'request-timeout-seconds', 'retry-delay-seconds'])('%s has the same default in both', (name) => {
  const inSource = new RegExp(`"${name}", \\{ byDefault: ([\\d.]+)`).exec(bundle)?.[1];
  expect(action.inputs[name]?.default).toBe(inSource);
});

test('every input and output is in docs/github-action.md', () => {
  const page = read('docs/github-action.md');
  for (const name of [...Object.keys(action.inputs), ...Object.keys(action.outputs)]) {
    expect(page).toContain(`\`${name}\``);
  }
});
