import { listenFailure, reach, reasonOf, StartError } from './start-error';

test('what was reached is handed on', async () => {
  expect(await reach('NATS', 'NATS_URL', 'nats://a:4222', () => Promise.resolve(7))).toBe(7);
});

test.each<[string, string, string]>([
  ['a URL with credentials', 'nats://me:secret-word@a:4222', 'a:4222'],
  ['several servers', 'nats://a:1, nats://me:secret-word@b:2', 'a:1,b:2'],
  ['what is no URL', 'somewhere', 'somewhere'],
])('a failure names the place and not the password: %s', async (_name, address, place) => {
  const failing = reach('NATS', 'NATS_URL', address, () => Promise.reject(new Error('refused')));
  await expect(failing).rejects.toMatchObject({
    name: 'StartError',
    message: `cannot reach NATS at ${place} (NATS_URL): refused`,
  });
});

test.each<[string, unknown, string]>([
  ['an error', new Error('plain'), 'plain'],
  ['of several lines', new Error('first\nsecond'), 'first'],
  ['an empty one with a cause', new Error('', { cause: new Error('inner') }), 'inner'],
  ['an empty one of several', new AggregateError([new Error('refused ::1'), new Error('b')]), 'refused ::1'],
  ['text', 'just text', 'just text'],
  ['nothing to tell', new Error(''), 'unknown error'],
  ['a connection string', new Error('at nats://me:pw-pw-pw@a'), 'at nats://me:[redacted]@a'],
])('the reason of %s is one line', (_name, error, reason) => {
  expect(reasonOf(error)).toBe(reason);
});

test.each<[string, RegExp]>([
  ['EADDRINUSE', /^port 80 on host is taken: set ASSAY_HTTP_PORT/],
  ['EACCES', /^port 80 may not be opened: set ASSAY_HTTP_PORT/],
  ['EADDRNOTAVAIL', /^this machine has no address host: set ASSAY_HTTP_HOST/],
  ['ENOTFOUND', /^this machine has no address host: set ASSAY_HTTP_HOST/],
])('%s at listening names the variable', (code, message) => {
  const failure = listenFailure(Object.assign(new Error('x'), { code }), 'host', 80);
  expect(failure).toBeInstanceOf(StartError);
  expect((failure as Error).message).toMatch(message);
});

test('any other error at listening stays as it is', () => {
  const error = new Error('x');
  expect(listenFailure(error, 'host', 80)).toBe(error);
});
