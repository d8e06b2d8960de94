import assert from 'node:assert/strict';
import { test } from 'node:test';
import { daysBetween } from '../src/days.mjs';

test('counts within a month', () => {
  assert.equal(daysBetween('2023-05-01', '2023-05-31'), 30);
});
