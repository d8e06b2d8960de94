import assert from 'node:assert/strict';
import { test } from 'node:test';
import { render } from '../src/template.mjs';

test('fills names', () => {
  assert.equal(render('Hello {{name}}', { name: 'Ada' }), 'Hello Ada');
});
