import * as fc from 'fast-check';
import { bytesOf, imagesToEvict, largestOwnPart, type StoredImage } from './eviction';

const image = (id: string, lastUsed: number, own: number, overrides: Partial<StoredImage> = {}): StoredImage => ({
  id,
  lastUsed,
  needed: false,
  layers: [
    { key: 'base', bytes: 100 },
    { key: id, bytes: own },
  ],
  ...overrides,
});

test('what images share counts once', () => {
  expect(bytesOf([image('a', 1, 10), image('b', 2, 20)])).toBe(130);
});

test('one more of their kind may add what the largest shares with no other', () => {
  expect(largestOwnPart([image('a', 1, 10), image('b', 2, 20)])).toBe(20);
  expect(largestOwnPart([image('a', 1, 10)])).toBe(110);
  expect(largestOwnPart([])).toBe(0);
});

test('the least recently used go first, and no more of them than must', () => {
  const images = [image('young', 30, 10), image('old', 10, 10), image('middle', 20, 10)];
  const plan = (budgetBytes: number, restedSince = 100): string[] =>
    imagesToEvict(images, { budgetBytes, restedSince });
  expect(plan(130)).toEqual([]);
  expect(plan(129)).toEqual(['old']);
  expect(plan(111)).toEqual(['old', 'middle']);
  expect(plan(0)).toEqual(['old', 'middle', 'young']);
  expect(plan(0, 20)).toEqual(['old']);
});

test('an image that is needed stays, whatever the budget', () => {
  const images = [image('a', 10, 10, { needed: true }), image('b', 20, 10)];
  expect(imagesToEvict(images, { budgetBytes: 0, restedSince: 100 })).toEqual(['b']);
});

test('whatever there is: nothing needed or fresh goes, and nothing goes while the rest fits', () => {
  const anImage = fc.record({
    id: fc.uuid(),
    lastUsed: fc.integer({ min: 0, max: 100 }),
    needed: fc.boolean(),
    layers: fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd'), bytes: fc.integer({ min: 0, max: 50 }) })),
  });
  fc.assert(
    fc.property(
      fc.uniqueArray(anImage, { selector: ({ id }) => id, maxLength: 8 }),
      fc.integer({ min: 0, max: 200 }),
      (images, budgetBytes) => {
        const gone = imagesToEvict(images, { budgetBytes, restedSince: 50 });
        const byId = new Map(images.map((each) => [each.id, each]));
        expect(gone.every((id) => !byId.get(id)!.needed && byId.get(id)!.lastUsed < 50)).toBe(true);
        const without = (ids: string[]) => bytesOf(images.filter(({ id }) => !ids.includes(id)));
        gone.forEach((_, index) => {
          expect(without(gone.slice(0, index))).toBeGreaterThan(budgetBytes);
        });
      },
    ),
  );
});
