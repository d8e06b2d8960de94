import { RegistryPatience } from './registry-patience';

const never = new AbortController().signal;

test('each refusal doubles the wait, up to a quarter of an hour; refusals at the same time are one', () => {
  let now = 0;
  const patience = new RegistryPatience(1_000, () => now);
  const waits: number[] = [];
  for (let n = 0; n < 12; n += 1) {
    patience.refused('hub');
    patience.refused('hub');
    waits.push(patience.left('hub'));
    now += patience.left('hub');
  }
  expect(waits.slice(0, 4)).toEqual([1_000, 2_000, 4_000, 8_000]);
  expect(waits.at(-1)).toBe(900_000);
  expect(patience.left('other')).toBe(0);
  patience.answered('hub');
  patience.refused('hub');
  expect(patience.left('hub')).toBe(1_000);
});

test('who asks waits; who is called off does not', async () => {
  const patience = new RegistryPatience(30);
  await patience.wait('hub', never);
  patience.refused('hub');
  const started = performance.now();
  await patience.wait('hub', never);
  expect(performance.now() - started).toBeGreaterThan(25);
  const slow = new RegistryPatience(60_000);
  slow.refused('hub');
  const abort = new AbortController();
  const waiting = slow.wait('hub', abort.signal);
  abort.abort(new Error('called off'));
  await expect(waiting).rejects.toThrow('called off');
});
