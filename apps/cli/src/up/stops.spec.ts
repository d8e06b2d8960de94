import { Stops } from './stops';

test('every step is done once, the newest first, also after one that failed', async () => {
  const done: string[] = [];
  const stops = new Stops();
  stops.add(() => void done.push('first'));
  stops.add(() => Promise.reject(new Error('no answer')));
  stops.add(() => {
    throw new Error('disk full');
  });
  stops.add(async () => {
    await Promise.resolve();
    done.push('last');
  });
  expect(await stops.all()).toEqual(['while stopping: disk full', 'while stopping: no answer']);
  expect(done).toEqual(['last', 'first']);
  expect(await stops.all()).toEqual([]);
  expect(done).toHaveLength(2);
});
