import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const load = (file) => import(pathToFileURL(join(process.env.APP_DIR ?? '/app', file)).href);
const { daysBetween } = await load('src/days.mjs');

test('a leap day counts', () => {
  assert.equal(daysBetween('2024-02-01', '2024-03-01'), 29);
});

test('a year with a leap day has 366 days', () => {
  assert.equal(daysBetween('2024-01-01', '2025-01-01'), 366);
});

test('1900 was no leap year, 2000 was one', () => {
  assert.equal(daysBetween('1900-02-28', '1900-03-01'), 1);
  assert.equal(daysBetween('2000-02-28', '2000-03-01'), 2);
});

test('backwards is negative', () => {
  assert.equal(daysBetween('2024-03-01', '2024-02-01'), -29);
});

test('a century is right', () => {
  assert.equal(daysBetween('1900-01-01', '2000-01-01'), 36524);
});
