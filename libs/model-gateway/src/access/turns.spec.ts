import { Turns } from './turns';

/** Works that end when they are told to, and the order in which they began. */
function works(): { begun: number[]; work: (id: number) => () => Promise<void>; end: (id: number) => void } {
  const begun: number[] = [];
  const ends = new Map<number, () => void>();
  return {
    begun,
    work: (id) => () => {
      begun.push(id);
      return new Promise((resolve) => ends.set(id, resolve));
    },
    end: (id) => ends.get(id)?.(),
  };
}

const never = new AbortController().signal;
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('so many run at the same time, the others in the order in which they came', async () => {
  const turns = new Turns(2);
  const { begun, work, end } = works();
  const all = [1, 2, 3, 4].map((id) => turns.take(never, work(id)));
  await settled();
  expect([begun, turns.queue]).toEqual([[1, 2], 2]);
  end(2);
  await settled();
  expect([begun, turns.queue]).toEqual([[1, 2, 3], 1]);
  for (const id of [1, 3]) end(id);
  await settled();
  expect([begun, turns.queue]).toEqual([[1, 2, 3, 4], 0]);
  end(4);
  await Promise.all(all);
  void turns.take(never, work(5));
  await settled();
  expect(begun).toContain(5);
});

test('who goes away while it waits is passed over', async () => {
  const turns = new Turns(1);
  const { begun, work, end } = works();
  const gone = new AbortController();
  void turns.take(never, work(1));
  const second = turns.take(gone.signal, work(2));
  void turns.take(never, work(3));
  await settled();
  gone.abort();
  await second;
  await turns.take(gone.signal, work(4));
  end(1);
  await settled();
  expect(begun).toEqual([1, 3]);
});

test('work that fails gives its turn on', async () => {
  const turns = new Turns(1);
  await expect(turns.take(never, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  let ran = false;
  await turns.take(never, async () => {
    ran = await Promise.resolve(true);
  });
  expect(ran).toBe(true);
});
