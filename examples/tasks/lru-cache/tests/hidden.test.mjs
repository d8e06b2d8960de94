import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const load = (file) => import(pathToFileURL(join(process.env.APP_DIR ?? '/app', file)).href);
const { LruCache } = await load('src/lru-cache.mjs');

test('reading an entry saves it', () => {
  const cache = new LruCache(2);
  cache.set('a', 1);
  cache.set('b', 2);
  assert.equal(cache.get('a'), 1);
  cache.set('c', 3);
  assert.equal(cache.get('a'), 1);
  assert.equal(cache.get('b'), undefined);
});

test('setting a key again throws nothing away', () => {
  const cache = new LruCache(2);
  cache.set('a', 1);
  cache.set('b', 2);
  cache.set('b', 3);
  assert.equal(cache.size, 2);
  assert.equal(cache.get('a'), 1);
  assert.equal(cache.get('b'), 3);
});

test('setting a key again counts as use', () => {
  const cache = new LruCache(2);
  cache.set('a', 1);
  cache.set('b', 2);
  cache.set('a', 3);
  cache.set('c', 4);
  assert.equal(cache.get('b'), undefined);
  assert.equal(cache.get('a'), 3);
});

test('a value of undefined is an entry like others', () => {
  const cache = new LruCache(2);
  cache.set('a', undefined);
  cache.set('b', 2);
  cache.get('a');
  cache.set('c', 3);
  assert.equal(cache.get('b'), undefined);
  assert.equal(cache.size, 2);
});
