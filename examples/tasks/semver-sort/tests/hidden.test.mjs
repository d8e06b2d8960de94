import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const load = (file) => import(pathToFileURL(join(process.env.APP_DIR ?? '/app', file)).href);
const { compare, newest } = await load('src/versions.mjs');

test('numbers are numbers', () => {
  assert.equal(newest(['1.9.0', '1.10.0']), '1.10.0');
  assert.ok(compare('2.0.0', '10.0.0') < 0);
});

test('a prerelease comes before its release', () => {
  assert.ok(compare('1.0.0-beta', '1.0.0') < 0);
  assert.ok(compare('1.0.0', '1.0.0-beta') > 0);
});

test('prereleases compare part by part', () => {
  const order = ['1.0.0-1', '1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.2', '1.0.0-alpha.10', '1.0.0-alpha.beta', '1.0.0-beta'];
  assert.deepEqual([...order].reverse().sort(compare), order);
});

test('a leading v is ignored', () => {
  assert.equal(compare('v1.2.3', '1.2.3'), 0);
});
