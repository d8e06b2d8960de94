import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const load = (file) => import(pathToFileURL(join(process.env.APP_DIR ?? '/app', file)).href);
const { parse, parseRow } = await load('src/csv.mjs');

test('a comma inside quotes is text', () => {
  assert.deepEqual(parseRow('a,"b,c",d'), ['a', 'b,c', 'd']);
});

test('two quotes inside quotes are one', () => {
  assert.deepEqual(parseRow('"say ""hi""",x'), ['say "hi"', 'x']);
});

test('empty fields stay, quoted or not', () => {
  assert.deepEqual(parseRow(',,"",'), ['', '', '', '']);
});

test('plain rows work as before', () => {
  assert.deepEqual(parse('id,name\n1,Ada\n'), [{ id: '1', name: 'Ada' }]);
});

test('a quoted header is a name too', () => {
  assert.deepEqual(parse('"id","full, name"\n1,Ada\n'), [{ id: '1', 'full, name': 'Ada' }]);
});
