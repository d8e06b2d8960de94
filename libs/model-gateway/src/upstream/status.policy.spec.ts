import { judged, retryDelayMs } from './status.policy';

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

test('Google says the same of a rate, and how long it lasts', () => {
  const message = 'You exceeded your current quota, please check your plan and billing details.';
  const spent = { error: { code: 429, message, status: 'RESOURCE_EXHAUSTED', details: [] as object[] } };
  expect(judged(429, Buffer.from(JSON.stringify(spent)))).toMatchObject({ again: false, configuration: true });
  spent.error.details.push({ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.5s' });
  const rate = Buffer.from(JSON.stringify(spent, null, 2));
  expect(judged(429, rate)).toMatchObject({ again: true, configuration: false });
  expect(retryDelayMs(rate)).toBe(34_500);
});

test.each(['', '{}', '{"retryDelay":"soon"}', '{"retryDelay":34}'])('%s asks for no wait', (body) => {
  expect(retryDelayMs(Buffer.from(body))).toBeNull();
});
