import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const load = (file) => import(pathToFileURL(join(process.env.APP_DIR ?? '/app', file)).href);
const { render } = await load('src/template.mjs');

test('values are escaped', () => {
  assert.equal(render('<p>{{name}}</p>', { name: '<b>' }), '<p>&lt;b&gt;</p>');
  assert.equal(render('{{a}}', { a: `&"'` }), '&amp;&quot;&#39;');
});

test('three braces put the value in as it is', () => {
  assert.equal(render('{{{name}}}', { name: '<b>' }), '<b>');
});

test('an unknown name is empty', () => {
  assert.equal(render('[{{nobody}}]', {}), '[]');
});

test('a dollar sign is only a dollar sign', () => {
  assert.equal(render('{{price}}', { price: '$&' }), '$&amp;');
});
