import { PROJECT_ROOT } from '@assay/testing';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FAILURE_CODES, type FailureCode } from './index';

const OWN = join(PROJECT_ROOT, 'libs/failures/src/codes');
const TESTS = /(spec|-conformance)\.ts$/;

const files = ['libs', 'apps'].flatMap((folder) =>
  readdirSync(join(PROJECT_ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/(^|\/)(node_modules|dist)\//.test(file))
    .map((file) => join(PROJECT_ROOT, folder, file)),
);
const codes = Object.keys(FAILURE_CODES) as FailureCode[];

/** Every name in quotes, alone or after its blame, which is how a code is written: in the files that pass, but for this one and the table. */
function quoted(passes: (file: string) => boolean): Set<string> {
  const read = files.filter((file) => passes(file) && file !== __filename && !file.startsWith(OWN));
  const texts = read.map((file) => readFileSync(file, 'utf8'));
  return new Set(
    texts.flatMap((text) =>
      [...text.matchAll(/['"`](?:[a-z]+ )?([a-z][a-z0-9_]*)['"`]/g)].map(([, name = '']) => name),
    ),
  );
}

test('every code is named in a test', () => {
  const tested = quoted((file) => TESTS.test(file));
  expect(codes.filter((code) => !tested.has(code)).sort()).toEqual([]);
});

test('every code is thrown somewhere: what nobody throws any more leaves the table', () => {
  const named = quoted((file) => !TESTS.test(file));
  expect(codes.filter((code) => !named.has(code))).toEqual([]);
});

test('the failures that the rules make themselves have codes of the table', () => {
  const made = files
    .filter((file) => /libs\/(lifecycle|persistence)\/src\//.test(file) && !TESTS.test(file))
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/^ +code: (.*)$/gm)].map(([, value = '']) => value))
    .flatMap((value) => [...value.matchAll(/'([a-z]+_[a-z_]+)'/g)].map(([, code = '']) => code));
  expect(made).toEqual(expect.arrayContaining(['lease_lost', 'limit_reached', 'artifact_missing']));
  expect(made.filter((code) => !(code in FAILURE_CODES))).toEqual([]);
});
