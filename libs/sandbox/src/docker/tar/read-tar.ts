import { bytePath, type BytePath } from '../../byte-path';
import { ByteSource } from './byte-source';

/** What a tar says of one file. Names are bytes: an engine passes on what its file system has. */
export interface TarEntry {
  readonly type: 'file' | 'directory' | 'symlink' | 'link' | 'other';
  readonly path: BytePath;
  /** Target of a link; empty for anything else. */
  readonly target: BytePath;
  readonly mode: number;
  /** Bytes of content. */
  readonly size: number;
  /** To be read before the next entry is asked for; what is left of it then is skipped. */
  readonly content: AsyncIterable<Buffer>;
}

const BLOCK = 512;

/** Longest header of names that is believed. Bytes. */
const LONGEST_NAMES = 1_048_576;

const TYPES: Readonly<Record<string, TarEntry['type']>> = {
  '0': 'file',
  '\0': 'file',
  '7': 'file',
  '1': 'link',
  '2': 'symlink',
  '5': 'directory',
};

/** Headers that say something of the entry after them: pax, of one and of all, and GNU's long names. */
const NAMES = new Set(['x', 'g', 'L', 'K']);

/** What headers before an entry's own say of it. */
interface Overrides {
  path?: BytePath;
  target?: BytePath;
  size?: number;
}

/** Links, folders, devices and pipes have no content, whatever their size says. */
const WITHOUT_CONTENT = '123456';

/**
 * Entries of a tar (ustar, pax, GNU), one after the other.
 * @throws Error for what is no tar, and one that ends too early
 */
export async function* tarEntries(archive: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const source = new ByteSource(archive);
  let overrides: Overrides = {};
  for (;;) {
    const header = await source.take(BLOCK);
    if (header === null || header.every((byte) => byte === 0)) return;
    const flag = flagOf(header);
    if (NAMES.has(flag)) {
      overrides = { ...overrides, ...overridesOf(flag, await namesOf(source, sizeOf(header, {}))) };
      continue;
    }
    const size = WITHOUT_CONTENT.includes(flag) ? 0 : sizeOf(header, overrides);
    const left = { bytes: size };
    yield {
      type: TYPES[flag] ?? 'other',
      path: overrides.path ?? pathOf(header),
      target: overrides.target ?? textAt(header, 157, 100),
      mode: numberAt(header, 100, 8) & 0o7777,
      size,
      content: passing(source, left),
    };
    overrides = {};
    await source.skip(left.bytes);
    await source.take(paddingOf(size));
  }
}

/** Counts what it hands on, so that it is known what its reader left. */
async function* passing(source: ByteSource, left: { bytes: number }): AsyncGenerator<Buffer> {
  for await (const part of source.pass(left.bytes)) {
    left.bytes -= part.length;
    yield part;
  }
}

function paddingOf(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}

async function namesOf(source: ByteSource, size: number): Promise<Buffer> {
  if (size > LONGEST_NAMES) throw new Error(`the archive has a name of ${size} bytes`);
  const names = await source.take(size);
  await source.take(paddingOf(size));
  return names ?? Buffer.alloc(0);
}

function overridesOf(flag: string, names: Buffer): Overrides {
  if (flag === 'L') return { path: textAt(names, 0, names.length) };
  if (flag === 'K') return { target: textAt(names, 0, names.length) };
  return flag === 'x' ? paxOverrides(names) : {};
}

/** Records `length SP key=value LF`, their length counted whole; values are taken as the bytes that they are. */
function paxOverrides(records: Buffer): Overrides {
  const found: Overrides = {};
  for (let at = 0; at < records.length;) {
    const length = Number.parseInt(records.toString('latin1', at, at + 20), 10);
    if (!(length > 0)) throw new Error('the archive has a broken header');
    const record = bytePath(records.subarray(at, at + length - 1));
    const [, key = '', value = ''] = /^\d+ ([^=]*)=([^]*)$/.exec(record) ?? [];
    if (key === 'path') found.path = value;
    if (key === 'linkpath') found.target = value;
    if (key === 'size') found.size = Number(value);
    at += length;
  }
  return found;
}

/** The type of an entry. @throws Error for what is no header: its sum of bytes must be the one that it tells */
function flagOf(header: Buffer): string {
  const told = numberAt(header, 148, 8);
  const sum = header.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 0x20 : byte), 0);
  if (sum !== told) throw new Error('the archive is no tar');
  return String.fromCharCode(header[156] ?? 0);
}

function sizeOf(header: Buffer, { size = numberAt(header, 124, 12) }: Overrides): number {
  if (!Number.isSafeInteger(size) || size < 0) throw new Error('the archive has an entry without a size');
  return size;
}

/** With a prefix where there is one, as ustar splits long paths. */
function pathOf(header: Buffer): BytePath {
  const prefix = header.toString('latin1', 257, 263) === 'ustar\0' ? textAt(header, 345, 155) : '';
  const name = textAt(header, 0, 100);
  return prefix === '' ? name : `${prefix}/${name}`;
}

function textAt(bytes: Buffer, from: number, length: number): BytePath {
  const field = bytes.subarray(from, from + length);
  const end = field.indexOf(0);
  return bytePath(end < 0 ? field : field.subarray(0, end));
}

/** Octal digits, or binary where the first bit is set. */
function numberAt(header: Buffer, from: number, length: number): number {
  const field = header.subarray(from, from + length);
  if (((field[0] ?? 0) & 0x80) === 0) return Number.parseInt(field.toString('latin1').trim() || '0', 8);
  return field.reduce((total, byte, at) => total * 256 + (at === 0 ? byte & 0x7f : byte), 0);
}
