import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LruCache } from '../src/lru-cache.mjs';

test('gives back what was set', () => {
  const cache = new LruCache(2);
  cache.set('a', 1);
  assert.equal(cache.get('a'), 1);
});
