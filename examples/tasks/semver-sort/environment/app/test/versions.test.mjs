import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newest } from '../src/versions.mjs';

test('finds the newest', () => {
  assert.equal(newest(['1.0.0', '1.2.0', '1.1.0']), '1.2.0');
});
