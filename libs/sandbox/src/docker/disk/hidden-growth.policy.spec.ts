import { isSuspect, type GrowthSeen } from './hidden-growth.policy';

const BOUNDS = { floorBytes: 4_000, maxBytes: 10_000 };
const HIDING: GrowthSeen = { countedBytes: 500, freeBytes: 3_000, mostFreeBytes: 20_000, hides: true };

test('a sandbox that hides files on a disk that is nearly full, and has lost more than it may have, is ended', () => {
  expect(isSuspect(HIDING, BOUNDS)).toBe(true);
});

test.each<[string, Partial<GrowthSeen>]>([
  ['hides nothing, whatever was lost', { hides: false, mostFreeBytes: 1_000_000 }],
  ['hides files while there is room', { freeBytes: 4_000, mostFreeBytes: 1_000_000 }],
  ['came when the disk was nearly full already', { mostFreeBytes: 3_500 }],
  ['cannot have lost so much within its own bound', { mostFreeBytes: 13_000 }],
  ['is known to have what is missing', { countedBytes: 7_000 }],
])('one that %s is left alone', (_name, change) => {
  expect(isSuspect({ ...HIDING, ...change }, BOUNDS)).toBe(false);
});
