import fc from 'fast-check';
import { publicCause, publicText, withoutSecrets } from './index';

const trialToken = `assay-${'aB3_'.repeat(10)}xyz`;

describe('what looks like a secret', () => {
  test.each([
    ['a token of GitHub', `ghp_${'a1'.repeat(18)}`],
    ['a fine-grained one', `github_pat_11${'Ab_9'.repeat(12)}`],
    ['a key of a model provider', 'sk-proj-4f1c2d3e5a6b7c8d9e0f'],
    ['the token of a trial', trialToken],
    ['a key of Google', `AIza${'x'.repeat(35)}`],
    ['a key of AWS', 'AKIAIOSFODNN7EXAMPLE'],
    ['a token of npm', `npm_${'a'.repeat(36)}`],
    ['a signed token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefghijklmno'],
    ['a private key', '-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----'],
    ['a private key that was cut', '-----BEGIN PRIVATE KEY-----\nMIIEvQ'],
  ])('is taken out: %s', (_name, secret) => {
    expect(withoutSecrets(`before ${secret}`)).toBe('before [redacted]');
    expect(withoutSecrets(JSON.stringify({ a: secret }))).not.toContain(secret.slice(0, 30));
  });

  test('in a header and in an address only the secret goes', () => {
    expect(withoutSecrets('Authorization: Bearer abcdefghijklmnop1')).toBe('Authorization: Bearer [redacted]');
    expect(withoutSecrets('postgres://me:hunter2@db/x')).toBe('postgres://me:[redacted]@db/x');
  });

  test.each([
    'git rev-parse 4f1c2d3e5a6b7c8d9e0f4f1c2d3e5a6b7c8d9e0f',
    'a task-list of skills, sk-learn and basic arithmetic',
    'assay-demo-run-1-01234567.json',
    'https://example.com/a:b@c',
    '/testbed/src/module.py',
  ])('and nothing else: %s', (text) => {
    expect(withoutSecrets(text)).toBe(text);
  });

  test('taking out twice is taking out once', () => {
    const part = fc.constantFrom('sk-aaaaaaaaaaaaaaaaaaaa', 'bearer ', ' ', 'x://u:p@h', '\n', 'text', trialToken);
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const once = withoutSecrets(parts.join(''));
        expect(withoutSecrets(once)).toBe(once);
      }),
    );
  });
});

test.each([
  ['cat /home/ops/app/.assay/up/sandboxes/x/work/a.py', 'cat […]/up/sandboxes/x/work/a.py'],
  ['in /tmp/assay-trial-1f/work: ok', 'in […]/work: ok'],
  ['at /tmp/assay-trial-1f', 'at […]'],
  ['/testbed/src/a.py and /tmp/x', '/testbed/src/a.py and /tmp/x'],
  ['https://github.com/acme/assay-tools/x', 'https://github.com/acme/assay-tools/x'],
  ['ghp_' + 'a1'.repeat(18), '[redacted]'],
])('the text of a trial: %j reads %j', (text, shown) => {
  expect(publicText(text)).toBe(shown);
});

describe('a cause that is published', () => {
  test.each([
    ['/srv/assay/suites/demo.yaml:3:1 title: expected a text', '[…]/demo.yaml:3:1 title: expected a text'],
    ["ENOENT: open '/home/ops/.npmrc'", "ENOENT: open '[…]/.npmrc'"],
    ['npm at http://10.1.2.3:4873/agent says 404', 'npm at [address] says 404'],
    ['http://registry:4873/agent', '[address]'],
    ['https://npm.corp.internal/agent is away', '[address] is away'],
    ['https://registry.npmjs.org/agent has no version 1.2.0', 'https://registry.npmjs.org/agent has no version 1.2.0'],
    ['suite demo is unknown', 'suite demo is unknown'],
    ['a/b of owner/name', 'a/b of owner/name'],
    ['one\n  two', 'one two'],
  ])('%j reads %j', (message, cause) => {
    expect(publicCause(message)).toBe(cause);
  });

  test('holds no secret', () => {
    expect(publicCause('fetch with sk-abcdefghijklmnopqrst failed')).toBe('fetch with [redacted] failed');
  });

  test('has an end', () => {
    expect(publicCause('x'.repeat(600))).toHaveLength(500);
    expect(publicCause('x'.repeat(500))).toHaveLength(500);
  });
});

test.each([
  ['one long word', 'x'.repeat(1_000_000)],
  ['many short ones with periods', 'x.'.repeat(500_000)],
  ['beginnings of tokens', 'eyJ-'.repeat(250_000)],
  ['beginnings of keys', '-----BEGIN PRIVATE KEY----- '.repeat(40_000)],
  ['beginnings of addresses', 'a://b:'.repeat(170_000)],
  ['paths', '/a'.repeat(500_000)],
  ['paths with our word', '/assay-'.repeat(140_000)],
  ['white space after a scheme', `bearer${' '.repeat(1_000_000)}`],
])('a megabyte of %s takes no longer than any other', (_name, text) => {
  const before = performance.now();
  publicText(text);
  publicCause(text);
  expect(performance.now() - before).toBeLessThan(3000);
});
