import { SharedWork } from './shared-work';

const never = new AbortController().signal;

test('work that many ask for is done once, and anew when it is asked for later', async () => {
  const shared = new SharedWork<number>();
  let runs = 0;
  const work = () => Promise.resolve((runs += 1));
  expect(await Promise.all([shared.ask('a', never, work), shared.ask('a', never, work)])).toEqual([1, 1]);
  expect(await shared.ask('a', never, work)).toBe(2);
});

test('its failure is told to all who asked, and the next who asks tries again', async () => {
  const shared = new SharedWork<number>();
  const fail = () => Promise.reject(new Error('no'));
  const asked = await Promise.allSettled([shared.ask('a', never, fail), shared.ask('a', never, fail)]);
  expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await shared.ask('a', never, () => Promise.resolve(7))).toBe(7);
});

test('who leaves hears why he left; the work goes on for the others, and is aborted when the last has left', async () => {
  const shared = new SharedWork<number>();
  let aborted = false;
  const work = (signal: AbortSignal) =>
    new Promise<number>((_, reject) => {
      signal.addEventListener('abort', () => {
        aborted = true;
        reject(new Error('aborted'));
      });
    });
  const [first, second] = [new AbortController(), new AbortController()];
  const asking = [shared.ask('a', first.signal, work), shared.ask('a', second.signal, work)] as const;
  first.abort(new Error('first left'));
  await expect(asking[0]).rejects.toThrow('first left');
  expect(aborted).toBe(false);
  second.abort(new Error('second left'));
  await expect(asking[1]).rejects.toThrow('second left');
  expect(aborted).toBe(true);
});

test('who comes with an aborted signal starts nothing', async () => {
  const shared = new SharedWork<number>();
  let runs = 0;
  const asking = shared.ask('a', AbortSignal.abort(new Error('gone')), () => Promise.resolve((runs += 1)));
  await expect(asking).rejects.toThrow('gone');
  expect(runs).toBe(0);
});
