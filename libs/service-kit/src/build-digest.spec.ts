import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildDigest, digestOf } from './index';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-build-'));
  put('package-lock.json', '{}');
  put('apps/executor/dist/main.js', 'run()');
  put('libs/messaging/dist/deep/a.js', 'a');
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

function put(file: string, content: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), content);
}

test('the same files have the same digest, wherever they lie', () => {
  const before = digestOf(root);
  expect(before).toMatch(/^[0-9a-f]{64}$/);
  const other = root;
  root = mkdtempSync(join(tmpdir(), 'assay-build-'));
  put('libs/messaging/dist/deep/a.js', 'a');
  put('apps/executor/dist/main.js', 'run()');
  put('package-lock.json', '{}');
  expect(digestOf(root)).toBe(before);
  rmSync(other, { recursive: true });
});

test.each<[string, string, string]>([
  ['a built file', 'apps/executor/dist/main.js', 'run(2)'],
  ['a file more', 'libs/artifacts/dist/index.js', ''],
  ['what runs unbuilt, in the sidecar of a sandbox', 'libs/model-gateway/bin/forwarder.cjs', 'pass()'],
  ['the lock file', 'package-lock.json', '{"a":1}'],
])('%s that changes changes the digest', (_name, file, content) => {
  const before = digestOf(root);
  put(file, content);
  expect(digestOf(root)).not.toBe(before);
});

test('content that moves from one file to the next changes it', () => {
  put('libs/messaging/dist/deep/b.js', 'bc');
  const before = digestOf(root);
  put('libs/messaging/dist/deep/a.js', 'ab');
  put('libs/messaging/dist/deep/b.js', 'c');
  expect(digestOf(root)).not.toBe(before);
});

test.each(['apps/executor/src/main.ts', 'apps/executor/dist/main.js.map', 'docs/x.md', 'node_modules/x/dist/index.js'])(
  '%s does not count',
  (file) => {
    const before = digestOf(root);
    put(file, 'anything');
    expect(digestOf(root)).toBe(before);
  },
);

test('the variable replaces it, and must be a digest', () => {
  const given = 'ab'.repeat(32);
  expect(buildDigest({ ASSAY_BUILD_DIGEST: given })).toBe(given);
  expect(() => buildDigest({ ASSAY_BUILD_DIGEST: 'latest' })).toThrow();
});

test('a process keeps the digest it started with', () => {
  expect(buildDigest({})).toMatch(/^[0-9a-f]{64}$/);
  expect(buildDigest({})).toBe(buildDigest({}));
});
