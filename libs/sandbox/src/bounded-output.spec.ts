import * as fc from 'fast-check';
import { BoundedOutput } from './bounded-output';

test('the first bytes are kept, the rest is dropped and marked, and every chunk is seen before', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 30 })), fc.integer({ min: 0, max: 200 }), (chunks, max) => {
      const seen: Buffer[] = [];
      const output = new BoundedOutput(max, (chunk) => seen.push(chunk));
      for (const chunk of chunks) output.push(Buffer.from(chunk));
      const all = Buffer.concat(chunks.map((chunk) => Buffer.from(chunk)));
      expect(output.bytes()).toEqual(all.subarray(0, max));
      expect(output.truncated).toBe(all.length > max);
      expect(Buffer.concat(seen)).toEqual(all);
    }),
  );
});

test('what is kept does not change when the sender uses its buffer again', () => {
  const output = new BoundedOutput(10);
  const chunk = Buffer.from('abc');
  output.push(chunk);
  chunk.fill('x');
  expect(output.bytes().toString()).toBe('abc');
});
