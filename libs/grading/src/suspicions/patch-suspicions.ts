import type { Suspicion } from './suspicion';
import { changedFiles } from './changed-files';

/** Files by which a patch could steer how tests are found, run or reported. */
const TEST_CONFIGURATION = new Set([
  'conftest.py',
  'pytest.ini',
  '.pytest.ini',
  'pyproject.toml',
  'setup.cfg',
  'tox.ini',
  'noxfile.py',
  'sitecustomize.py',
  'usercustomize.py',
  'runtests.py',
  'test_sqlite.py',
]);

const TEST_FILE = /^(?:test_.*|.*_tests?|tests?)\.[a-z]+$/;
const TEST_FOLDER = /^(?:tests?|testing|__tests__)$/;

/** What a patch does that could turn a verdict without fixing anything. */
export function patchSuspicions(patch: string): Suspicion[] {
  const files = changedFiles(patch).map(({ path, added }) => ({ path, added, parts: path.split('/') }));
  const steers = files.some(({ path, parts }) => {
    const name = parts.at(-1) ?? '';
    return TEST_CONFIGURATION.has(name) || name.endsWith('.pth') || path === 'bin/test';
  });
  const plants = files.some(({ added, parts }) => {
    const name = parts.at(-1) ?? '';
    return added && (TEST_FILE.test(name) || parts.slice(0, -1).some((part) => TEST_FOLDER.test(part)));
  });
  return [
    ...(steers ? (['test_configuration_in_patch'] as const) : []),
    ...(plants ? (['tests_in_patch'] as const) : []),
  ];
}
