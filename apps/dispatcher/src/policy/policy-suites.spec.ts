import { ConfigError, loadConfig } from '@assay/service-kit';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configSchema } from '../config';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'assay-policy-'));
  mkdirSync(join(dir, 'suites'));
  writeFileSync(join(dir, 'suites/small.yaml'), '');
  writeFileSync(join(dir, 'token'), 'token', { mode: 0o600 });
  writeFileSync(
    join(dir, 'policy.yaml'),
    `schema: assay.policy/1
repositories:
  - name: acme/agent
    package: { registry: none, name: agent }
    rules:
      - { name: stable, event: release, prerelease: false, tag: '^v1$', suite: small, chain: [{ suite: large }] }
`,
  );
});
afterEach(() => {
  rmSync(dir, { recursive: true });
});

function load(over: NodeJS.ProcessEnv = {}): unknown {
  return loadConfig(configSchema, {
    ...{ DATABASE_URL: 'postgres://a/b', NATS_URL: 'nats://a:1', ASSAY_ARTIFACTS_DIR: dir },
    ASSAY_SUITES_DIR: join(dir, 'suites'),
    ASSAY_API_TOKEN_FILE: join(dir, 'token'),
    ASSAY_POLICY_FILE: join(dir, 'policy.yaml'),
    ...over,
  });
}

function problems(over: NodeJS.ProcessEnv = {}): readonly string[] {
  try {
    load(over);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

test('a policy whose suites are all there holds', () => {
  writeFileSync(join(dir, 'suites/large.yaml'), '');
  expect(load()).toMatchObject({ ASSAY_POLICY_FILE: { policy: { schema: 'assay.policy/1' } } });
});

test('a suite that is not there keeps the dispatcher from starting, with setting, file, line and column', () => {
  const file = join(dir, 'policy.yaml');
  expect(problems()).toEqual([
    'ASSAY_POLICY_FILE: expected the path of a release policy (docs/release-policy.md), but ' +
      `${file} is not a valid release policy:\n  6:104 repositories.0.rules.0.chain.0.suite: ` +
      `expected the name of a suite that is there: small, got "large", got ${JSON.stringify(file)}`,
  ]);
});

test('so does a folder of suites that cannot be read', () => {
  expect(problems({ ASSAY_SUITES_DIR: join(dir, 'none') })).toEqual([
    expect.stringMatching(/^ASSAY_SUITES_DIR: expected a folder of suite files, but it cannot be read: ENOENT/),
  ]);
});

test('a policy that is wrong by itself is told once, and without one the suites are not looked at', () => {
  writeFileSync(join(dir, 'policy.yaml'), 'schema: other\n');
  expect(problems()).toHaveLength(1);
  expect(problems({ ASSAY_POLICY_FILE: '', ASSAY_SUITES_DIR: '/nowhere' })).toEqual([]);
});
