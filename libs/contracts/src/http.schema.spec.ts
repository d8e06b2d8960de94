import { GitRef, IdempotencyKey, Repository, SubmitRequest } from './http.schema';
import { RunId } from './ids';
import { problemLines, problemsOf } from './problems';

const body = {
  suite: 'demo',
  evaluated: { ref: 'v1.0.0', commit: 'a'.repeat(40), packageVersion: '1.0.0' },
  model: 'm',
  trigger: 'manual',
};

const linesOf = (input: unknown): string[] => {
  const parsed = SubmitRequest.safeParse(input);
  return parsed.success ? [] : problemLines(problemsOf(parsed.error, input));
};

test('the smallest body is legal: a run without a release', () => {
  expect(SubmitRequest.parse(body)).toMatchObject({ suite: 'demo' });
});

test('an unknown key is refused by its name, at any depth', () => {
  expect(linesOf({ ...body, colour: 'red' })).toEqual(['colour: no such key, got "red"']);
  expect(linesOf({ ...body, evaluated: { ...body.evaluated, sha: 1 } })).toEqual(['evaluated.sha: no such key, got 1']);
});

test('every wrong field is named with its value and the expectation', () => {
  const lines = linesOf({ ...body, evaluated: { ...body.evaluated, commit: 'main' }, maxAttempts: 9 });
  expect(lines).toEqual([
    'evaluated.commit: expected 40 lower-case hexadecimal digits, got "main"',
    expect.stringMatching(/^maxAttempts: .*8, got 9$/),
  ]);
});

test('a missing field is named', () => {
  const { model: _, ...rest } = body;
  expect(linesOf(rest)).toEqual([expect.stringMatching(/^model: .*got nothing$/)]);
});

test('one instance excludes any limit but 1', () => {
  expect(linesOf({ ...body, instanceId: 'a', limit: 1 })).toEqual([]);
  expect(linesOf({ ...body, instanceId: 'a', limit: 5 })).toEqual(['instanceId: instanceId requires limit 1, got "a"']);
});

test.each([
  'https://github.com/a/b/actions/runs/1',
  'http://localhost:3000/runs/1',
  'http://127.0.0.1/',
  'http://[::1]/',
])('%s may be the address of the run at GitHub', (githubRunUrl) => {
  expect(linesOf({ ...body, githubRunUrl })).toEqual([]);
});

test.each(
  [
    ['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'http://example.org/1', 'ftp://localhost/'],
    ['http://localhost.example.org/', 'https://me:secret@github.com/', 'https://', 'github.com/a/b', ''],
  ].flat(),
)('%j may not be the address of the run at GitHub', (githubRunUrl) => {
  const [line, ...more] = linesOf({ ...body, githubRunUrl });
  expect(more).toEqual([]);
  expect(line).toMatch(/^githubRunUrl: expected an https: URL/);
  expect(line).toContain(`got ${JSON.stringify(githubRunUrl)}`);
});

test('a missing idempotency key is told what is expected', () => {
  expect(IdempotencyKey.safeParse(undefined).error?.issues.map(({ message }) => message)).toEqual([
    'expected 1 to 200 printable ASCII characters without spaces',
  ]);
});

test.each(['v1.0.0', 'release/1.2', 'v1.0.0-nightly.20260101.abc'])('%s is a ref', (ref) => {
  expect(GitRef.safeParse(ref).success).toBe(true);
});

test.each(['../etc', 'a..b', 'v1@{1}', '-x', '', 'a b', 'x'.repeat(161)])('%j is no ref', (ref) => {
  expect(GitRef.safeParse(ref).success).toBe(false);
});

test.each(['QwenLM/qwen-code', 'a/b.c'])('%s is a repository', (name) => {
  expect(Repository.safeParse(name).success).toBe(true);
});

test.each(['a', 'a/b/c', 'a/..', 'a/.', '../b', 'a/ b'])('%j is no repository', (name) => {
  expect(Repository.safeParse(name).success).toBe(false);
});

test.each(['', 'a b', 'ä', 'x'.repeat(201)])('%j is no idempotency key', (key) => {
  expect(IdempotencyKey.safeParse(key).success).toBe(false);
});

test.each(['pool-31a24bc8acca49d2', 'a', 'A'.repeat(128)])('%s is a run id', (id) => {
  expect(RunId.safeParse(id).success).toBe(true);
});

test.each(['', '-a', '.a', 'a/b', 'a b', 'A'.repeat(129)])('%j is no run id', (id) => {
  expect(RunId.safeParse(id).success).toBe(false);
});

test('what a suite or a ref may be made of is told', () => {
  const wrong = {
    suite: '../../etc/passwd',
    evaluated: { ref: 'a b;rm', commit: 'a'.repeat(40) },
    model: 'm',
    trigger: 'manual',
  };
  const { error } = SubmitRequest.safeParse(wrong);
  expect(error?.issues.map(({ message }) => message)).toEqual([
    'expected a suite name: 1 to 100 of A-Z a-z 0-9 . _ -, the first a letter or digit',
    'expected a git ref: 1 to 160 of A-Z a-z 0-9 . _ / @ + -, the first a letter or digit',
  ]);
});
