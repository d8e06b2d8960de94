import { UsageError } from '../output';
import type { SubmitOptions } from './submit-options';
import { requestOf } from './submit-request';

const options: SubmitOptions = {
  url: 'http://127.0.0.1:8080',
  suite: 'demo',
  ref: 'v1.0.0',
  commit: 'a'.repeat(40),
  packageVersion: '1.0.0',
  model: 'm',
  trigger: 'manual',
};
const refusal = (over: Partial<SubmitOptions>): string => {
  try {
    requestOf({ ...options, ...over });
  } catch (error) {
    if (error instanceof UsageError) return error.message;
  }
  throw new Error('expected a UsageError');
};

test('options become a request; what was not given is absent', () => {
  expect(requestOf({ ...options, limit: '5', maxAttempts: '2', backoff: '0.5' })).toEqual({
    suite: 'demo',
    evaluated: { ref: 'v1.0.0', commit: 'a'.repeat(40), packageVersion: '1.0.0' },
    model: 'm',
    limit: 5,
    maxAttempts: 2,
    backoffSeconds: 0.5,
    trigger: 'manual',
  });
});

test('a release is made of its three parts', () => {
  expect(requestOf({ ...options, tag: 'v1.0.0', releaseId: '7', repository: 'a/b' }).release).toEqual({
    repository: 'a/b',
    id: 7,
    tag: 'v1.0.0',
  });
  expect(refusal({ tag: 'v1.0.0', releaseId: '7' })).toBe(
    '--repository: expected too, because a release is --repository, --release-id and --tag',
  );
});

test.each<[Partial<SubmitOptions>, string]>([
  [{ limit: 'abc' }, '--limit: expected a whole number from 1 to 100000, got "abc"'],
  [{ limit: '' }, '--limit: expected a whole number from 1 to 100000, got ""'],
  [{ limit: '0x10' }, '--limit: expected a whole number from 1 to 100000, got "0x10"'],
  [{ maxAttempts: 'x' }, '--max-attempts: expected a whole number from 1 to 8, got "x"'],
  [{ maxAttempts: '9' }, '--max-attempts: expected a whole number from 1 to 8, got "9"'],
  [{ backoff: '-1' }, '--backoff: expected a number from 0 to 3600, got "-1"'],
  [{ releaseId: '1.5', tag: 'v1', repository: 'a/b' }, '--release-id: expected a whole number from 1, got "1.5"'],
  [{ commit: 'main' }, '--commit: expected 40 lower-case hexadecimal digits, got "main"'],
])('%j is refused by option, expectation and value', (over, message) => {
  expect(refusal(over)).toBe(message);
});

test('the bounds are those of the schema', () => {
  const most = requestOf({ ...options, limit: '100000', maxAttempts: '8', backoff: '3600' });
  expect(most).toMatchObject({ limit: 100_000, maxAttempts: 8, backoffSeconds: 3_600 });
  expect(requestOf({ ...options, limit: '1', maxAttempts: '1', backoff: '0' })).toMatchObject({ backoffSeconds: 0 });
});

test('every wrong option is named at once', () => {
  const lines = refusal({ commit: 'main', limit: 'many', ref: '-x' }).split('\n');
  expect(lines.map((line) => line.split(':')[0])).toEqual(['--ref', '--commit', '--limit']);
});

test('every option that makes the body is named by its option when it is wrong', () => {
  const wrong = ' ';
  const lines = refusal({
    ...{ suite: wrong, ref: wrong, commit: wrong, packageVersion: wrong, model: '\n', agent: wrong, limit: wrong },
    ...{ instance: wrong, maxAttempts: wrong, backoff: wrong, repository: wrong, releaseId: wrong, tag: wrong },
    ...{ trigger: wrong, runUrl: wrong },
  }).split('\n');
  expect(lines).toHaveLength(15);
  for (const line of lines) expect(line).toMatch(/^--[a-z-]+: .*, got "( |\\n)"$/);
});

test('the version may be left out, and with a release the commit: the server finds them', () => {
  const { packageVersion: _, ...unversioned } = options;
  expect(requestOf(unversioned).evaluated).toEqual({ ref: 'v1.0.0', commit: 'a'.repeat(40) });
  const { commit: __, ...open } = unversioned;
  const release = { repository: 'a/b', releaseId: '7', tag: 'v1.0.0' };
  expect(requestOf({ ...open, ...release }).evaluated).toEqual({ ref: 'v1.0.0' });
  expect(() => requestOf(open)).toThrow(
    '--commit: expected too, because without a release nothing says whose ref it is',
  );
});

test.each(['suite', 'ref', 'model'] as const)('a run without its %s is no run', (name) => {
  const { [name]: _, ...rest } = options;
  expect(() => requestOf(rest)).toThrow(
    `--${name}: expected too, because without --release a run is described by --suite, --ref, --commit and --model`,
  );
});

test.each([
  [{ chainLimit: '1' }, '--chain-limit'],
  [{ chainInstance: 'x' }, '--chain-instance'],
])('%j belongs to a release', (over, option) => {
  expect(refusal(over)).toBe(`${option}: expected none without --release`);
});
