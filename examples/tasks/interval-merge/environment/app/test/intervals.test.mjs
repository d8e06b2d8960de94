import assert from 'node:assert/strict';
import { test } from 'node:test';
import { merge } from '../src/intervals.mjs';

test('overlapping intervals are merged', () => {
  assert.deepEqual(merge([[1, 4], [2, 6]]), [[1, 6]]);
});
