import * as fc from 'fast-check';
import { eventsOf } from './server-sent-events';

async function eventsIn(chunks: readonly Uint8Array[]): Promise<string[]> {
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  const events: string[] = [];
  for await (const data of eventsOf(stream)) events.push(data);
  return events;
}

test('events come out whole, wherever the transport cuts them, also inside a character', async () => {
  const texts = fc.array(fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !/[\r\n]|^\s/.test(text)));
  await fc.assert(
    fc.asyncProperty(texts, fc.integer({ min: 1, max: 9 }), fc.constantFrom('\n', '\r\n'), async (list, cut, end) => {
      const bytes = Buffer.from(list.map((text) => `: comment${end}event: x${end}data: ${text}${end}${end}`).join(''));
      const chunks = Array.from({ length: Math.ceil(bytes.length / cut) }, (_, i) =>
        bytes.subarray(i * cut, (i + 1) * cut),
      );
      expect(await eventsIn(chunks)).toEqual(list);
    }),
  );
});

test('a line without end is refused', async () => {
  await expect(eventsIn([Buffer.alloc(5_000_000, 'x')])).rejects.toThrow(/too long/);
});

test('no body has no events', async () => {
  const events: string[] = [];
  for await (const data of eventsOf(null)) events.push(data);
  expect(events).toEqual([]);
});
