import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from '../src/csv.mjs';

test('reads rows by the names of the first', () => {
  assert.deepEqual(parse('id,name\n1,Ada\n2,Grace\n'), [
    { id: '1', name: 'Ada' },
    { id: '2', name: 'Grace' },
  ]);
});
