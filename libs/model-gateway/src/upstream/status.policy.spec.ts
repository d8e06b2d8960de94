import { judged } from './status.policy';

test.each([
  [200, 'success'],
  [204, 'success'],
  [400, 'client_error'],
  [404, 'client_error'],
  [413, 'client_error'],
  [422, 'client_error'],
])('%s is %s', (status, kind) => {
  expect(judged(status)).toEqual({ kind });
});

test.each([
  [429, true, false],
  [408, true, false],
  [500, true, false],
  [503, true, false],
  [529, true, false],
  [401, false, true],
  [402, false, true],
  [403, false, true],
  [301, false, true],
  [307, false, true],
])('%s is our fault or the provider’s; again: %s, configuration: %s', (status, again, configuration) => {
  expect(judged(status)).toMatchObject({ kind: 'upstream_failure', again, configuration });
});

test('a 429 that means an empty account is not waited for', () => {
  const body = Buffer.from('{"error":{"code":"insufficient_quota"}}');
  expect(judged(429, body)).toMatchObject({ again: false, configuration: true });
  expect(judged(429, Buffer.from('{"error":{"code":"rate_limit_exceeded"}}'))).toMatchObject({ again: true });
});
