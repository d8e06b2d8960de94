import { answered, flowing, withinTime } from './bounded';

const never = new Promise<never>(() => undefined);

test('work that takes too long is left behind; what it throws in time is thrown on', async () => {
  await withinTime(10, () => never);
  await expect(withinTime(10_000, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
});

test('an engine that does not answer a call is our fault', async () => {
  await expect(answered(never, 'prepare', 10)).rejects.toMatchObject({ blame: 'infra', code: 'engine_timed_out' });
  expect(await answered(Promise.resolve(7), 'prepare', 10)).toBe(7);
  await expect(answered(Promise.reject(new Error('no')), 'prepare', 10)).rejects.toThrow('no');
});

test('a stream of the engine that stops in its middle is our fault, one that ends is not', async () => {
  async function* parts(stops: boolean): AsyncGenerator<Buffer> {
    yield Buffer.from('one');
    if (stops) await never;
    yield Buffer.from('two');
  }
  const read = async (stops: boolean): Promise<string> => {
    let text = '';
    for await (const part of flowing(parts(stops), 'agent', 20)) text += part.toString();
    return text;
  };
  expect(await read(false)).toBe('onetwo');
  await expect(read(true)).rejects.toMatchObject({ blame: 'infra', code: 'engine_timed_out', phase: 'agent' });
});

test('a reader that is slow itself is no stopped stream', async () => {
  async function* parts(): AsyncGenerator<Buffer> {
    for (const part of ['a', 'b', 'c']) yield await Promise.resolve(Buffer.from(part));
  }
  let text = '';
  for await (const part of flowing(parts(), 'agent', 5)) {
    text += part.toString();
    const until = Date.now() + 15;
    while (Date.now() < until);
  }
  expect(text).toBe('abc');
});
