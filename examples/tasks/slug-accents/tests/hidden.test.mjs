import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const load = (file) => import(pathToFileURL(join(process.env.APP_DIR ?? '/app', file)).href);
const { slugify } = await load('src/slug.mjs');
const { pagePath } = await load('src/page.mjs');

test('accents go, letters stay', () => {
  assert.equal(slugify('Crème brûlée'), 'creme-brulee');
  assert.equal(slugify('Ångström'), 'angstrom');
});

test('letters without a plain form are spelled out', () => {
  assert.equal(slugify('Straße'), 'strasse');
  assert.equal(slugify('Ærø'), 'aero');
});

test('dashes neither double nor stand at an end', () => {
  assert.equal(slugify('  What -- now? '), 'what-now');
});

test('nothing left is untitled', () => {
  assert.equal(slugify('!?'), 'untitled');
  assert.equal(pagePath('News', ''), '/news/untitled');
});
