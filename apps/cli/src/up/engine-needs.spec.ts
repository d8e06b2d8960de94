import { requireEngineFor } from './engine-needs';

const ENGINE = { cpus: 4, memoryMb: 8_192 };
const SMALL = { cpus: 1, memoryMb: 512 };

test('a suite within the engine is fine', () => {
  expect(() => {
    requireEngineFor({ limits: { cpus: 4, memoryMb: 8_192 }, grader: SMALL }, ENGINE);
  }).not.toThrow();
});

test.each([
  [
    { limits: { cpus: 1_000, memoryMb: 512 }, grader: SMALL },
    'limits.cpus: expected at most 4, what the Docker engine has, got 1000',
  ],
  [
    { limits: SMALL, grader: { cpus: 1, memoryMb: 9_000 } },
    'grader.memoryMb: expected at most 8192, what the Docker engine has, got 9000',
  ],
])('one beyond it is refused with field, value and what the engine has: %j', (needs, message) => {
  expect(() => {
    requireEngineFor(needs, ENGINE);
  }).toThrow(message);
});
