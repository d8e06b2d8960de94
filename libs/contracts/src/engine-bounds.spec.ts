import { beyondEngine } from './engine-bounds';

const ENGINE = { cpus: 2, memoryMb: 3_893 };

test.each([
  [{ cpus: 2, memoryMb: 4_096 }, null],
  [{ cpus: 0.5, memoryMb: 64 }, null],
  [
    { cpus: 2.5, memoryMb: 64 },
    { field: 'cpus', wanted: 2.5, most: 2 },
  ],
  [
    { cpus: 1, memoryMb: 4_097 },
    { field: 'memoryMb', wanted: 4_097, most: 4_096 },
  ],
  [
    { cpus: 1_000, memoryMb: 9_999 },
    { field: 'cpus', wanted: 1_000, most: 2 },
  ],
])('%j on an engine with 2 CPUs and 3.8 GiB: %j', (limits, beyond) => {
  expect(beyondEngine(limits, ENGINE)).toEqual(beyond);
});
