import type Docker from 'dockerode';
import type { DiskSight } from './disk/disk-looker';
import { DiskWatch } from './disk-watch';

const MEBIBYTE = 1_048_576;

/** One look: what has a name in the container's layer, what is held without one, what is free on the disk. MiB. */
interface Scene {
  readonly named?: number;
  /** What the named files take up; absent: nobody can say. */
  readonly takes?: number;
  readonly unnamed?: number;
  readonly free?: number;
  readonly hides?: boolean;
  /** The engine lets nobody look. */
  readonly blind?: true;
}

/** A watch with a bound of 100 MB on a disk that is nearly full below 400 MB; the last scene stays. */
function watched(scenes: readonly Scene[], { phase = 'agent' as const, volumes = [] as object[] } = {}) {
  let at = -1;
  let killed = false;
  const scene = (): Scene => scenes[Math.min(at, scenes.length - 1)] ?? {};
  const container = {
    id: 'c',
    inspect: () =>
      Promise.resolve({
        SizeRw: (scene().named ?? 0) * MEBIBYTE,
        Mounts: volumes,
        GraphDriver: { Data: { UpperDir: '/u' } },
      }),
    kill: () => {
      killed = true;
      return Promise.resolve();
    },
  } as unknown as Docker.Container;
  const look = (): Promise<DiskSight | null> => {
    at += 1;
    const { unnamed = 0, free = 1_000, hides = false, blind } = scene();
    if (blind === true) return Promise.resolve(null);
    return Promise.resolve({ freeBytes: free * MEBIBYTE, held: { c: { bytes: unnamed * MEBIBYTE, hides } } });
  };
  const weigh = (): Promise<number | null> => {
    const { takes } = scene();
    return Promise.resolve(takes === undefined ? null : takes * MEBIBYTE);
  };
  const disk = { look, weigh, inTurn: (work: () => Promise<void>) => work() };
  const watch = new DiskWatch(container, { maxMb: 100, phase, disk, nearlyFullMb: 400, lookMs: 1, returnMs: 500 });
  watch.start();
  const ended = async (): Promise<unknown> => {
    for (;;) {
      const why = await watch.verdict().then(
        () => null,
        (error: unknown) => error,
      );
      if (why !== null || at > scenes.length + 3) {
        watch.stop();
        return why;
      }
      await new Promise(setImmediate);
    }
  };
  return { ended, isKilled: () => killed };
}

test('files without a name count like those with one', async () => {
  const { ended, isKilled } = watched([{ named: 60 }, { named: 60, unnamed: 41 }]);
  expect(await ended()).toMatchObject({ blame: 'agent', code: 'disk_exceeded', details: { foundMb: 101, maxMb: 100 } });
  expect(isKilled()).toBe(true);
});

test('files that seem to hold more than they take up are weighed by what they take up', async () => {
  expect(await watched([{ named: 100_000, takes: 99 }]).ended()).toBeNull();
  expect(await watched([{ named: 100_000, takes: 99, unnamed: 2 }]).ended()).toMatchObject({
    details: { foundMb: 101 },
  });
  expect(await watched([{ named: 300, takes: 101 }]).ended()).toMatchObject({ code: 'disk_exceeded' });
});

test('what seems to be more than anybody finds is hidden, where the disk gets full', async () => {
  const scenes = HIDING.map(({ free }) => ({ free, named: 200, takes: 50 }));
  const { ended } = watched([...scenes, { free: 460 }]);
  expect(await ended()).toMatchObject({ blame: 'agent', code: 'disk_exceeded' });
});

test('a file that gets its name between the two counts is not held against anybody', async () => {
  const { ended, isKilled } = watched([{ named: 60, unnamed: 60 }, { named: 60 }]);
  expect(await ended()).toBeNull();
  expect(isKilled()).toBe(false);
});

test('where nobody can look, files with a name are counted', async () => {
  expect(await watched([{ named: 99, blind: true }]).ended()).toBeNull();
  expect(await watched([{ named: 101, blind: true }]).ended()).toMatchObject({ code: 'disk_exceeded' });
});

const HIDING = [
  { free: 1_000, hides: true },
  { free: 300, hides: true },
  { free: 300, hides: true },
] as const;

test('who hides files on a disk that gets full is ended, and it was its fault if more than its bound comes back', async () => {
  expect(await watched([...HIDING, { free: 401 }]).ended()).toMatchObject({ blame: 'agent', code: 'disk_exceeded' });
});

test('it was our fault if no more comes back than it may have', async () => {
  const { ended, isKilled } = watched([...HIDING, { free: 399 }]);
  expect(await ended()).toMatchObject({ blame: 'infra', code: 'disk_full', details: { freeMb: 300 } });
  expect(isKilled()).toBe(true);
});

test('who hides nothing, or nothing any more, is never ended for what others do to the disk', async () => {
  for (const scenes of [
    [{ free: 1_000 }, { free: 1 }],
    [HIDING[0], HIDING[1], { free: 300 }],
  ]) {
    const { ended, isKilled } = watched(scenes);
    expect([await ended(), isKilled()]).toEqual([null, false]);
  }
});

test('a volume of the image hides what is in it; /tmp does not', async () => {
  const scenes = [{ free: 1_000 }, { free: 300 }, { free: 300 }, { free: 401 }];
  const volume = { Type: 'volume', RW: true, Destination: '/data' };
  expect(await watched(scenes, { volumes: [volume] }).ended()).toMatchObject({ code: 'disk_exceeded' });
  expect(await watched(scenes, { volumes: [{ ...volume, Destination: '/tmp' }] }).ended()).toBeNull();
});
