import { bytesOf } from './eviction';
import { sizedLayers, type HistoryEntry } from './sized-layers';

const step = (CreatedBy: string, Size: number, Created = 1): HistoryEntry => ({ CreatedBy, Size, Created });

/** Bytes of two images together, each given as its history (newest first) and its contents (lowest first). */
function together(...images: readonly (readonly [readonly HistoryEntry[], readonly string[]])[]): number {
  return bytesOf(
    images.map(([history, diffIds], index) => ({
      id: String(index),
      lastUsed: 0,
      needed: false,
      layers: sizedLayers(history, diffIds),
    })),
  );
}

const BASE = step('base', 100);

test('a layer that two images stand on counts once', () => {
  expect(
    together(
      [
        [step('a', 10), BASE],
        ['b', 'x'],
      ],
      [
        [step('c', 20), BASE],
        ['b', 'y'],
      ],
    ),
  ).toBe(130);
});

test('layers of other contents count each, though the same command made them within one second with one size', () => {
  expect(together([[step('import', 3)], ['x']], [[step('import', 3)], ['y']])).toBe(6);
  expect(
    together(
      [
        [step('run', 10), BASE],
        ['b', 'x'],
      ],
      [
        [step('run', 10), BASE],
        ['b', 'y'],
      ],
    ),
  ).toBe(120);
});

test('steps without a size take no room, and what they stand between is still shared', () => {
  const steps = [step('ENV', 0), step('WORKDIR', 0), BASE];
  expect(sizedLayers(steps, ['b', 'w'])).toEqual([{ key: '1 100 base b', bytes: 100 }]);
  expect(
    together(
      [
        [step('a', 10), ...steps],
        ['b', 'w', 'x'],
      ],
      [
        [step('a', 10), ...steps],
        ['b', 'w', 'x'],
      ],
    ),
  ).toBe(110);
});
