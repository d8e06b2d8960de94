import * as fc from 'fast-check';
import { Frames } from './frames';

function frame(stream: number, content: Buffer): Buffer {
  const header = Buffer.alloc(8);
  header[0] = stream;
  header.writeUInt32BE(content.length, 4);
  return Buffer.concat([header, content]);
}

test('the content of frames comes out in order, wherever the transport cuts them', () => {
  const frames = fc.array(fc.tuple(fc.constantFrom(1, 2), fc.uint8Array({ maxLength: 50 })), { maxLength: 20 });
  fc.assert(
    fc.property(frames, fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 }), (list, cuts) => {
      const bytes = Buffer.concat(list.map(([stream, content]) => frame(stream, Buffer.from(content))));
      const out: Buffer[] = [];
      const reader = new Frames((chunk) => out.push(Buffer.from(chunk)));
      for (let at = 0, i = 0; at < bytes.length; i += 1) {
        const size = cuts[i % cuts.length]!;
        reader.push(bytes.subarray(at, at + size));
        at += size;
      }
      expect(Buffer.concat(out)).toEqual(Buffer.concat(list.map(([, content]) => Buffer.from(content))));
    }),
  );
});

test.each([
  ['a stream that there is none of', Buffer.from([3, 0, 0, 0, 0, 0, 0, 1])],
  ['bytes that must be zero', Buffer.from([1, 1, 0, 0, 0, 0, 0, 1])],
  ['a length beyond reason', Buffer.from([1, 0, 0, 0, 255, 0, 0, 0])],
])('a header with %s ends it instead of guessing', (_name, header) => {
  expect(() => {
    new Frames(() => undefined).push(header);
  }).toThrow(/broken frame/);
});
