import { eventually } from '@assay/testing';
import { StallWatch } from './stall-watch';

function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test('a gap longer than the limit is a stall, seen by whoever asks first', () => {
  const watch = new StallWatch(60);
  expect(watch.generation()).toBe(0);
  block(10);
  expect(watch.generation()).toBe(0);
  block(90);
  expect(watch.generation()).toBe(1);
  expect(watch.generation()).toBe(1);
  watch.close();
});

test('a loop that is merely idle does not stall', async () => {
  const watch = new StallWatch(1_000);
  const since = performance.now();
  await eventually(() => performance.now() - since > 1_200);
  expect(watch.generation()).toBe(0);
  watch.close();
});
