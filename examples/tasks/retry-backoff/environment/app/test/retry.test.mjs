import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retry } from '../src/retry.mjs';

test('gives back what the work gives', async () => {
  assert.equal(await retry(async () => 7), 7);
});
