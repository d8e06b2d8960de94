import type { BytePath } from '../../byte-path';

/** A file or symbolic link as it is put into a tar; its path has no leading slash. */
export type TarPart =
  | {
      readonly kind: 'file';
      readonly path: BytePath;
      readonly mode: number;
      /** Bytes of content. */
      readonly size: number;
      readonly content: AsyncIterable<Buffer> | Iterable<Buffer>;
    }
  | { readonly kind: 'link'; readonly path: BytePath; readonly target: BytePath };

const BLOCK = 512;

/** What the fields of a header hold. Longer ones come before it, in entries of their own. Bytes. */
const FIELD = 100;

/** A tar in GNU's format, whose names are bytes. Everything belongs to root and is as old as the archive. */
export async function* tarOf(parts: AsyncIterable<TarPart>): AsyncGenerator<Buffer> {
  const now = Math.floor(Date.now() / 1000);
  for await (const part of parts) {
    const target = part.kind === 'link' ? part.target : '';
    const [flag, mode, size] = part.kind === 'file' ? ['0', part.mode, part.size] : ['2', 0o777, 0];
    const own = header({ path: part.path, target, flag, mode, size, now });
    yield Buffer.concat([...longName('K', target), ...longName('L', part.path), own]);
    if (part.kind === 'file') yield* part.content;
    yield padding(size);
  }
  yield Buffer.alloc(2 * BLOCK);
}

function longName(flag: 'L' | 'K', name: BytePath): Buffer[] {
  if (name.length <= FIELD) return [];
  const bytes = Buffer.from(`${name}\0`, 'latin1');
  const size = bytes.length;
  return [header({ path: '././@LongLink', target: '', flag, mode: 0, size, now: 0 }), bytes, padding(size)];
}

function padding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}

interface Fields {
  readonly path: BytePath;
  readonly target: BytePath;
  readonly flag: string;
  readonly mode: number;
  /** Bytes, below 8 GiB: what eleven octal digits hold. */
  readonly size: number;
  /** Seconds since 1970. */
  readonly now: number;
}

function header({ path, target, flag, mode, size, now }: Fields): Buffer {
  const bytes = Buffer.alloc(BLOCK);
  const write = (at: number, text: string): void => void bytes.write(text, at, 'latin1');
  write(0, path.slice(0, FIELD));
  write(100, octal(mode, 7));
  write(108, octal(0, 7));
  write(116, octal(0, 7));
  write(124, octal(size, 11));
  write(136, octal(now, 11));
  write(148, ' '.repeat(8));
  write(156, flag);
  write(157, target.slice(0, FIELD));
  write(257, 'ustar  \0');
  write(
    148,
    `${octal(
      bytes.reduce((sum, byte) => sum + byte, 0),
      6,
    )}\0 `,
  );
  return bytes;
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0');
}
