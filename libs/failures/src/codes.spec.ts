import { PROJECT_ROOT } from '@assay/testing';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FAILURE_CODES, type FailureCode } from './index';

/** No test reaches these yet. The list may only shrink: a code that is new has a test. */
const UNTESTED: readonly FailureCode[] = [
  'agent_arch_unsupported',
  'agent_home_unwritable',
  'agent_not_frozen',
  'agent_out_of_memory',
  'agent_unstoppable',
  'agent_version',
  'context_missing',
  'exec_lost',
  'folders_not_emptied',
  'github_already_exists',
  'image_lost',
  'image_without_testbed',
  'log_parser_failed',
  'log_too_large',
  'not_offered',
  'npm_missing',
  'patch_does_not_reapply',
  'patch_not_put_back',
  'patch_step_killed',
  'path_escapes_sandbox',
  'predictions_invalid',
  'predictions_unknown',
  'python_missing',
  'release_not_there',
  'release_wrong',
  'spawn_failed',
  'suites_unreadable',
  'tests_killed',
  'unsupported_file',
];

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
  expect(codes.filter((code) => !tested.has(code)).sort()).toEqual(UNTESTED);
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
