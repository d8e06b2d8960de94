import { UsageError } from '../output';
import { requestOf } from './submit';

const options = {
  url: '',
  suite: 'demo',
  ref: 'v1.0.0',
  commit: 'a'.repeat(40),
  packageVersion: '1.0.0',
  model: 'm',
  trigger: 'manual',
};

test('options become a request; what was not given is absent', () => {
  expect(requestOf({ ...options, limit: '5', maxAttempts: '2' })).toEqual({
    suite: 'demo',
    evaluated: { ref: 'v1.0.0', commit: 'a'.repeat(40), packageVersion: '1.0.0' },
    model: 'm',
    limit: 5,
    maxAttempts: 2,
    trigger: 'manual',
  });
});

test('a release needs all of its three parts', () => {
  expect(() => requestOf({ ...options, tag: 'v1.0.0' })).toThrow(UsageError);
  expect(requestOf({ ...options, tag: 'v1.0.0', releaseId: '7', repository: 'a/b' }).release).toEqual({
    repository: 'a/b',
    id: 7,
    tag: 'v1.0.0',
  });
});

test('every wrong option is named with its value', () => {
  expect(() => requestOf({ ...options, commit: 'main', limit: 'many' })).toThrow(
    /evaluated\.commit: expected 40 lower-case hexadecimal digits, got "main"[\s\S]*limit: /,
  );
});
