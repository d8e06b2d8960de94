import fc from 'fast-check';
import { CorePool, type CoreLease } from './cores';

test('each sandbox has cores of its own, and gives them back once', () => {
  const pool = new CorePool({ cores: 'auto', slots: 2 }, 4);
  const [a, b] = [pool.take(2), pool.take(1.5)];
  expect([a?.cpuset, b?.cpuset]).toEqual(['0,1', '2,3']);
  expect(pool.take(1)).toBeNull();
  a?.giveBack();
  a?.giveBack();
  expect(pool.take(2)?.cpuset).toBe('0,1');
  expect(pool.take(1)).toBeNull();
});

test('a part of a core is a whole one', () => {
  expect(new CorePool({ cores: 'auto', slots: 1 }, 2).take(0.1)?.cpuset).toBe('0');
});

test('only cores that are named, and that the engine has, are shared out', () => {
  const pool = new CorePool({ cores: [1, 3, 9], slots: 2 }, 4);
  expect([pool.take(1)?.cpuset, pool.take(1)?.cpuset, pool.take(1)]).toEqual(['1', '3', null]);
  expect(new CorePool({ cores: [8, 9], slots: 1 }, 4).take(1)).toBeNull();
});

test('where there are not enough for every slot, nobody is pinned', () => {
  expect(new CorePool({ cores: 'auto', slots: 2 }, 2).take(2)).toBeNull();
  expect(new CorePool({ cores: 'auto', slots: 4 }, 2).take(1)).toBeNull();
});

test('whatever is taken and given back, no core is held twice and none is lost', () => {
  const step = fc.oneof(fc.double({ min: 0.1, max: 3, noNaN: true }), fc.constant('back' as const));
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 16 }),
      fc.integer({ min: 1, max: 4 }),
      fc.array(step),
      (cores, slots, steps) => {
        const pool = new CorePool({ cores: 'auto', slots }, cores);
        const held: CoreLease[] = [];
        for (const next of steps) {
          if (next === 'back') held.shift()?.giveBack();
          else if (held.length < slots) {
            const lease = pool.take(next);
            expect(lease === null).toBe(Math.ceil(next) > Math.floor(cores / slots));
            if (lease !== null) held.push(lease);
          }
          const all = held.flatMap(({ cpuset }) => cpuset.split(','));
          expect(new Set(all).size).toBe(all.length);
        }
      },
    ),
  );
});
