import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const load = (file) => import(pathToFileURL(join(process.env.APP_DIR ?? '/app', file)).href);
const { covered, merge } = await load('src/intervals.mjs');

test('touching intervals are merged', () => {
  assert.deepEqual(merge([[1, 3], [3, 5]]), [[1, 5]]);
});

test('the order of the input does not matter', () => {
  assert.deepEqual(merge([[8, 9], [1, 3], [2, 5]]), [[1, 5], [8, 9]]);
});

test('the input stays as it is', () => {
  const input = [[5, 6], [1, 5]];
  merge(input);
  assert.deepEqual(input, [[5, 6], [1, 5]]);
});

test('what lies inside adds nothing', () => {
  assert.equal(covered([[0, 10], [2, 3], [10, 11]]), 11);
});
