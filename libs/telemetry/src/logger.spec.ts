import { createLogger, inSpan, redactText, registerSecret } from './index';

function capture(level?: string) {
  const lines: string[] = [];
  const logger = createLogger('grader', level, { write: (line) => void lines.push(line) });
  const last = (): Record<string, unknown> => JSON.parse(lines.at(-1)!) as Record<string, unknown>;
  return { logger, lines, last };
}

test('a line is one JSON object with service, level by name and ISO time', () => {
  const { logger, lines, last } = capture();
  logger.info({ runId: 'r' }, 'run queued');
  expect(last()).toMatchObject({ service: 'grader', level: 'info', msg: 'run queued', runId: 'r' });
  expect(last()['time']).toMatch(/^\d{4}-\d\d-\d\dT/);
  expect(lines[0]!.endsWith('}\n')).toBe(true);
});

test('lines below the level are not written', () => {
  const { logger, lines } = capture('warn');
  logger.info('no');
  logger.warn('yes');
  expect(lines).toHaveLength(1);
});

test('inside a span a line carries its ids, outside none', async () => {
  const { logger, last } = capture();
  await inSpan('s', { root: true }, (span) => {
    logger.info('in');
    expect(last()).toMatchObject({ trace_id: span.traceId, span_id: span.traceparent.split('-')[2] });
    return Promise.resolve();
  });
  logger.info('out');
  expect(last()).not.toHaveProperty('trace_id');
});

test.each(['authorization', 'Authorization', 'api_key', 'apiKey', 'x-api-key', 'password', 'token', 'clientSecret'])(
  'the value under %s is hidden at any depth',
  (key) => {
    const { logger, lines, last } = capture();
    logger.child({ bound: { [key]: 'abc' } }).info({ a: [{ b: { [key]: 'hush' } }] }, 'said');
    expect(lines[0]).not.toMatch(/hush|abc/);
    expect(last()).toMatchObject({ a: [{ b: { [key]: '[redacted]' } }], bound: { [key]: '[redacted]' }, msg: 'said' });
  },
);

test('counters and file names that only sound alike are shown', () => {
  const { logger, last } = capture();
  logger.info({ promptTokens: 12, GITHUB_TOKEN_FILE: '/run/t', token: null }, 'said');
  expect(last()).toMatchObject({ promptTokens: 12, GITHUB_TOKEN_FILE: '/run/t', token: null });
});

test('an error is written with its stack and causes, its own fields redacted by key', () => {
  const { logger, last } = capture();
  const error = Object.assign(new Error('outer', { cause: new Error('inner') }), { headers: { authorization: 'x1' } });
  logger.error({ err: error }, 'failed');
  const { err } = last() as { err: Record<string, unknown> };
  expect(err).toMatchObject({
    message: 'outer',
    cause: { message: 'inner' },
    headers: { authorization: '[redacted]' },
  });
  expect(err['stack']).toContain('logger.spec.ts');
});

describe('a registered secret', () => {
  const secret = 's3cr"et\nva/lue+';
  beforeAll(() => {
    registerSecret(secret);
  });

  test.each<[string, string]>([
    ['as it is', secret],
    ['inside JSON text', JSON.stringify({ a: secret })],
    ['in a URL', `https://host/?q=${encodeURIComponent(secret)}`],
    ['in base64', Buffer.from(secret).toString('base64')],
  ])('is hidden in messages and values: %s', (_name, text) => {
    const { logger, lines, last } = capture();
    logger.info({ note: text }, `said ${text}`);
    expect(lines[0]).toContain('[redacted]');
    expect(lines[0]).not.toMatch(/s3cr|czNjci/);
    expect(last()).toHaveProperty('msg');
  });

  test('is hidden in errors', () => {
    const { logger, lines } = capture();
    logger.error({ err: new Error(`cannot use ${secret}`) }, 'failed');
    expect(lines[0]).not.toContain('s3cr');
  });

  test('is hidden in text that is shown elsewhere', () => {
    expect(redactText(`a ${secret} b`)).toBe('a [redacted] b');
  });
});

test('a value too short to be a secret does not blot out text', () => {
  registerSecret('');
  registerSecret('run');
  expect(redactText('a run')).toBe('a run');
});

test('the password of a connection string is hidden, the rest is shown', () => {
  expect(redactText('at postgres://user:hunter2@db:5432/x and nats://n:4222')).toBe(
    'at postgres://user:[redacted]@db:5432/x and nats://n:4222',
  );
});

test.each(['postgres://user:p@ss:wo@rd@db/x', 'postgres://:pw@db/x'])('odd passwords are hidden too: %s', (url) => {
  expect(redactText(url)).not.toMatch(/p@ss|wo@rd|rd@|:pw/);
});

test('a line with one very long word is written at once', () => {
  const before = performance.now();
  expect(redactText('n'.repeat(500_000))).toHaveLength(500_000);
  expect(performance.now() - before).toBeLessThan(2000);
});
