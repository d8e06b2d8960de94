import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ContractError } from '@assay/failures';
import { redactText } from '@assay/telemetry';
import { z } from 'zod';
import {
  envBool,
  envChoice,
  envInt,
  envList,
  envNatsUrls,
  envNumber,
  envPath,
  envPort,
  envSecret,
  envText,
  envUrl,
  fileSetting,
  type Setting,
} from './index';

test.each<[string, Setting<unknown>, string, unknown]>([
  ['a port', envPort(), '8080', 8080],
  ['any port', envPort(), '0', 0],
  ['a whole number', envInt(), '12', 12],
  ['a negative number where it may be', envInt(undefined, { min: -5 }), '-5', -5],
  ['a decimal number', envNumber(), '0.25', 0.25],
  ['true', envBool(), 'TRUE', true],
  ['yes', envBool(), 'yes', true],
  ['0', envBool(), '0', false],
  ['off', envBool(), 'off', false],
  ['text', envText(), ' a b ', ' a b '],
  ['an absolute path', envPath(), '/var/lib', '/var/lib'],
  ['a relative path', envPath(), 'some/where', resolve('some/where')],
  ['a list', envList(['docker', 'process']), 'process, docker', ['process', 'docker']],
  ['a choice', envChoice(['docker', 'process']), 'docker', 'docker'],
  ['a URL', envUrl(), 'https://host/v1', 'https://host/v1'],
  ['one broker', envNatsUrls(), 'nats://a:4222', 'nats://a:4222'],
  ['several brokers', envNatsUrls(), 'nats://a:4222,tls://b:4222', 'nats://a:4222,tls://b:4222'],
])('%s is read', (_name, schema, text, value) => {
  expect(schema.parse(text)).toEqual(value);
});

test.each<[string, Setting<unknown>, string, string]>([
  ['a port too high', envPort(), '65536', 'expected a port from 0 to 65535'],
  ['a port with a word', envPort(), '80a', 'expected a port from 0 to 65535'],
  ['a decimal for a whole number', envInt(), '1.5', 'expected a whole number'],
  ['a negative number', envInt(), '-1', 'expected a whole number'],
  ['too small', envInt(1, { min: 1 }), '0', 'expected a whole number of at least 1'],
  ['too big', envInt(1, { max: 5 }), '6', 'expected a whole number of at most 5'],
  ['out of a range', envNumber(1, { min: 0, max: 1 }), '1.01', 'expected a number from 0 to 1'],
  ['an exponent', envNumber(), '1e3', 'expected a number'],
  ['hexadecimal', envInt(), '0x10', 'expected a whole number'],
  ['a word for a yes or no', envBool(), 'maybe', 'expected true or false'],
  ['a name that objects have', envBool(), 'constructor', 'expected true or false'],
  ['a path with a NUL', envPath(), 'a\0b', 'expected a path'],
  ['an unknown word of a list', envList(['a', 'b']), 'a,c', 'expected a list separated by commas of: a, b'],
  ['a word twice', envList(['a', 'b']), 'a,a', 'expected a list separated by commas of: a, b'],
  ['an empty word', envList(), 'a,,b', 'expected a list separated by commas'],
  ['no choice', envChoice(['a', 'b']), 'A', 'expected one of: a, b'],
  ['another protocol', envUrl(), 'ftp://x', 'expected a URL that begins with http:// or https://'],
  ['no URL', envUrl(['postgres']), 'host:5432', 'expected a URL that begins with postgres://'],
  ['no broker', envNatsUrls(), 'nats://a,b', 'expected one or more NATS URLs (nats://host:port) separated by commas'],
])('%s is refused with the expectation', (_name, schema, text, message) => {
  expect(schema.safeParse(text).error?.issues.map((issue) => issue.message)).toEqual([message]);
});

test('an absent variable takes its fallback, or is required', () => {
  const schema = z.object({ A: envInt(7), B: envBool(false), C: envList(['x', 'y'], ['x']), D: envText().optional() });
  expect(schema.parse({})).toEqual({ A: 7, B: false, C: ['x'] });
  expect(z.object({ A: envInt() }).safeParse({}).error?.issues[0]).toMatchObject({
    path: ['A'],
    message: 'expected a whole number',
  });
});

test('a secret value and the password of a URL are known to the logs from then on', () => {
  envSecret().parse('quite-a-secret');
  envUrl(['postgres']).parse('postgres://me:open%20sesame@db/x');
  expect(redactText('quite-a-secret, open sesame')).toBe('[redacted], [redacted]');
});

describe('a file that is read at the start', () => {
  const length = (read: (file: string) => number) => fileSetting('the path of a list', read);

  test('is what was made of it', () => {
    expect(length((file) => file.length).parse('/a')).toBe(2);
  });

  test.each<[string, () => number, string]>([
    [
      'what blame is known for is told in full',
      () => {
        throw new ContractError('line 1\nline 2', { code: 'signing_key_invalid', phase: 'publish' });
      },
      'expected the path of a list, but line 1\nline 2',
    ],
    [
      'what the system says is told as such',
      () => readFileSync('/nowhere/at/all').length,
      "expected the path of a list, but it cannot be read: ENOENT: no such file or directory, open '/nowhere/at/all'",
    ],
  ])('%s', (_, read, message) => {
    expect(length(read).safeParse('/a').error?.issues[0]?.message).toBe(message);
  });

  test('that is not named is told by what was expected', () => {
    expect(length(() => 1).safeParse(undefined).error?.issues[0]?.message).toBe('expected the path of a list');
  });
});
