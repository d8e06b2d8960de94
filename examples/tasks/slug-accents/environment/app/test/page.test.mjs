import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pagePath } from '../src/page.mjs';

test('a page lies in its section', () => {
  assert.equal(pagePath('News', 'hello'), '/news/hello');
});
