import { Running } from './running';

test('what runs is waited for, and what it starts while it runs as well', async () => {
  const running = new Running();
  const ended: string[] = [];
  const later = async (): Promise<void> => {
    await Promise.resolve();
    ended.push('later');
  };
  running.add(
    Promise.resolve().then(() => {
      ended.push('first');
      running.add(later());
    }),
  );
  expect(running.size).toBe(1);
  expect(await running.settled(1_000)).toBe(0);
  expect(ended).toEqual(['first', 'later']);
});

test('the wait ends at its limit and tells how much still runs', async () => {
  const running = new Running();
  running.add(new Promise(() => undefined));
  running.add(Promise.resolve());
  expect(await running.settled(30)).toBe(1);
});

test('nothing running is settled at once', async () => {
  expect(await new Running().settled(60_000)).toBe(0);
});
