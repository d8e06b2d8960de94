import { z } from 'zod';
import { commonConfig, ConfigError, envInt, envSecret, envUrl, loadConfig } from './index';

const GOOD = { NATS_URL: 'nats://127.0.0.1:4222', ASSAY_ARTIFACTS_DIR: '/var/a' };

function refusal(schema: z.ZodType, env: NodeJS.ProcessEnv): ConfigError {
  try {
    loadConfig(schema, env);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('the settings were taken');
}

test('the common settings have the documented values', () => {
  expect(loadConfig(z.object(commonConfig('grader')), GOOD)).toEqual({
    ASSAY_NAMESPACE: 'assay',
    NATS_URL: 'nats://127.0.0.1:4222',
    ASSAY_TIME_SCALE: 1,
    ASSAY_HTTP_HOST: '127.0.0.1',
    ASSAY_HTTP_PORT: 8083,
    ASSAY_LOG_LEVEL: 'info',
    ASSAY_ARTIFACTS_DIR: '/var/a',
    ASSAY_S3_REGION: 'us-east-1',
    ASSAY_STOP_GRACE_MS: 10_000,
  });
});

test('every service has a port of its own', () => {
  const port = (app: 'dispatcher' | 'coordinator' | 'executor' | 'grader' | 'publisher') =>
    loadConfig(z.object(commonConfig(app)), GOOD).ASSAY_HTTP_PORT;
  expect([port('dispatcher'), port('coordinator'), port('executor'), port('grader'), port('publisher')]).toEqual([
    8080, 8081, 8082, 8083, 8084,
  ]);
});

test('all wrong variables stand in one message, each with value and expectation', () => {
  const error = refusal(z.object(commonConfig('grader')), {
    ASSAY_NAMESPACE: 'Not-Good',
    ASSAY_TIME_SCALE: '0',
    ASSAY_HTTP_PORT: '99999',
    ASSAY_LOG_LEVEL: 'loud',
    ASSAY_ARTIFACTS_DIR: '/var/a',
  });
  expect(error.message.split('\n')).toEqual([
    '5 settings are wrong:',
    '  ASSAY_NAMESPACE: expected a lower-case letter, then up to 30 of a-z 0-9 _, got "Not-Good"',
    '  NATS_URL: expected one or more NATS URLs (nats://host:port) separated by commas, got nothing',
    '  ASSAY_TIME_SCALE: expected a number from 0.0001 to 1, got "0"',
    '  ASSAY_HTTP_PORT: expected a port from 0 to 65535, got "99999"',
    '  ASSAY_LOG_LEVEL: expected one of: trace, debug, info, warn, error, fatal, silent, got "loud"',
  ]);
});

test('one wrong variable is one setting', () => {
  expect(refusal(z.object({ A: envInt() }), {}).message).toBe(
    '1 setting is wrong:\n  A: expected a whole number, got nothing',
  );
});

test('an empty variable counts as absent', () => {
  const env = { ...GOOD, ASSAY_HTTP_PORT: '', ASSAY_LOG_LEVEL: '' };
  expect(loadConfig(z.object(commonConfig('grader')), env)).toMatchObject({ ASSAY_HTTP_PORT: 8083 });
});

test('neither a secret nor the password in a URL is shown', () => {
  const secret = envSecret().refine((text) => text.length > 100, 'expected a long secret');
  const schema = z.object({ KEY: secret, DATABASE_URL: envUrl(['postgres']) });
  const { message } = refusal(schema, { KEY: 'hush-hush', DATABASE_URL: 'mysql://me:hunter22@db/x' });
  expect(message).not.toMatch(/hush|hunter22/);
  expect(message).toContain('KEY: expected a long secret, got (hidden)');
  expect(message).toContain('mysql://me:[redacted]@db/x');
});

test('a value without end is cut', () => {
  expect(refusal(z.object({ A: envInt() }), { A: 'x'.repeat(5000) }).message.length).toBeLessThan(400);
});

test('a rule about several variables names no value', () => {
  const schema = z.object({ A: envInt(), B: envInt() }).refine(({ A, B }) => A < B, 'expected A below B');
  expect(refusal(schema, { A: '2', B: '1' }).problems).toEqual(['(all): expected A below B']);
});
