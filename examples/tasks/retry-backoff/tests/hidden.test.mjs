import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const load = (file) => import(pathToFileURL(join(process.env.APP_DIR ?? '/app', file)).href);
const { retry } = await load('src/retry.mjs');

function failing(times) {
  const calls = [];
  return {
    calls,
    work: async (attempt) => {
      calls.push(attempt);
      if (calls.length <= times) throw new Error(`failure ${calls.length}`);
      return 'done';
    },
  };
}

test('three attempts are three calls', async () => {
  const { calls, work } = failing(99);
  await assert.rejects(retry(work, { attempts: 3, sleep: async () => {} }), /failure 3/);
  assert.deepEqual(calls, [1, 2, 3]);
});

test('waits double from the base, and none follows the last failure', async () => {
  const waits = [];
  const { work } = failing(99);
  await assert.rejects(retry(work, { attempts: 4, base: 100, sleep: async (ms) => waits.push(ms) }));
  assert.deepEqual(waits, [100, 200, 400]);
});

test('a success at the last attempt counts', async () => {
  const { work } = failing(2);
  assert.equal(await retry(work, { attempts: 3, sleep: async () => {} }), 'done');
});

test('one attempt is one call and no wait', async () => {
  const waits = [];
  const { calls, work } = failing(99);
  await assert.rejects(retry(work, { attempts: 1, sleep: async (ms) => waits.push(ms) }), /failure 1/);
  assert.equal(calls.length, 1);
  assert.deepEqual(waits, []);
});
