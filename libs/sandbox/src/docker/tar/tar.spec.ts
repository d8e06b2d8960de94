import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bytePath } from '../../byte-path';
import { tarEntries } from './read-tar';
import { tarOf, type TarPart } from './write-tar';

const LATIN = bytePath(Buffer.from([0x6c, 0xe9]));
const UTF8 = bytePath(Buffer.from('é'));
const LONG = 'long/'.repeat(30);

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'assay-tar-'));
});
afterEach(() => rm(dir, { recursive: true }));

function sh(script: string): Buffer {
  return execFileSync('sh', ['-c', script], { cwd: dir });
}

/** In pieces of so many bytes. */
async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield Promise.resolve(bytes.subarray(at, at + size));
}

interface Read {
  readonly type: string;
  readonly path: string;
  readonly target: string;
  readonly mode: number;
  readonly content: string;
}

async function readAll(archive: AsyncIterable<Buffer>): Promise<Read[]> {
  const found: Read[] = [];
  for await (const { type, path, target, mode, content } of tarEntries(archive)) {
    const parts: Buffer[] = [];
    for await (const part of content) parts.push(part);
    found.push({ type, path, target, mode, content: Buffer.concat(parts).toString() });
  }
  return found;
}

async function* given(parts: readonly TarPart[]): AsyncGenerator<TarPart> {
  for (const part of parts) yield Promise.resolve(part);
}

async function written(parts: readonly TarPart[]): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of tarOf(given(parts))) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function file(path: string, text: string, mode = 0o644): TarPart {
  return { kind: 'file', path, mode, size: Buffer.byteLength(text), content: [Buffer.from(text)] };
}

describe.each(['ustar', 'pax', 'gnu', 'oldgnu'])('a tar of the format %s', (format) => {
  test.each([1, 511, 512, 10_240, 1_000_000])('is read in pieces of %d bytes', async (size) => {
    sh(
      'printf 123 > a; head -c 2000 /dev/zero | tr "\\0" x > b; chmod 755 b; mkdir d; ln -s ../a d/to-a; : > d/empty; ln a d/hard; mkfifo p',
    );
    const archive = sh(`tar --format=${format} --sort=name -cf - a b d p`);
    const mode = 0o777;
    expect(await readAll(pieces(archive, size))).toEqual([
      { type: 'file', path: 'a', target: '', mode: 0o644, content: '123' },
      { type: 'file', path: 'b', target: '', mode: 0o755, content: 'x'.repeat(2_000) },
      { type: 'directory', path: 'd/', target: '', mode: 0o755, content: '' },
      { type: 'file', path: 'd/empty', target: '', mode: 0o644, content: '' },
      { type: 'link', path: 'd/hard', target: 'a', mode: 0o644, content: '' },
      { type: 'symlink', path: 'd/to-a', target: '../a', mode, content: '' },
      { type: 'other', path: 'p', target: '', mode: 0o644, content: '' },
    ]);
  });
});

test.each(['pax', 'gnu'])('long names, and names that are no text, are read as their bytes from %s', async (format) => {
  sh(
    `umask 022; mkdir -p '${LONG}'; for n in "$(printf 'l\\351')" é; do echo in > "${LONG}$n"; ln -s "${LONG}$n" "$n"; done`,
  );
  const read = await readAll(pieces(sh(`tar --format=${format} -cf - * ${LONG}*`), 999));
  const seen = read.filter(({ type }) => type !== 'directory').map(({ type, path, target }) => [type, path, target]);
  expect(seen).toEqual(
    expect.arrayContaining([
      ['symlink', LATIN, `${LONG}${LATIN}`],
      ['symlink', UTF8, `${LONG}${UTF8}`],
      ['file', `${LONG}${LATIN}`, ''],
      ['file', `${LONG}${UTF8}`, ''],
    ]),
  );
});

test('content that nobody reads is skipped, also in its middle', async () => {
  const archive = await written([file('a', 'x'.repeat(5_000)), file('b', 'y'.repeat(700)), file('c', 'z')]);
  const seen: string[] = [];
  for await (const { path, content } of tarEntries(pieces(archive, 100))) {
    if (path === 'b') for await (const part of content) if (part.length > 0) break;
    if (path === 'c') for await (const part of content) seen.push(part.toString());
  }
  expect(seen).toEqual(['z']);
});

test('what is written is what tar unpacks: names of bytes, long ones, modes and links', async () => {
  const parts: TarPart[] = [
    file('plain', 'text'),
    file(`${LONG}${LATIN}`, 'long', 0o755),
    { kind: 'link', path: LATIN, target: `${LONG}${UTF8}` },
    file('empty', ''),
    { ...file('streamed', 'twice'), content: [Buffer.from('tw'), Buffer.from('ice')] } as TarPart,
  ];
  const archive = await written(parts);
  execFileSync('tar', ['-xf', '-'], { cwd: dir, input: archive });
  const shown = sh(
    `find . -type l -printf '%p %m %l \\n' -o -type f -printf '%p %m %l ' -exec cat {} \\; -printf '\\n' | sort`,
  );
  expect(shown.toString('latin1').trimEnd().split('\n')).toEqual(
    [
      `./${LATIN} 777 ${LONG}${UTF8} `,
      `./${LONG}${LATIN} 755  long`,
      './empty 644  ',
      './plain 644  text',
      './streamed 644  twice',
    ].sort(),
  );
  expect((await readAll(pieces(archive, 777))).map(({ path }) => path)).toEqual(parts.map(({ path }) => path));
});

test.each([
  ['no tar', Buffer.alloc(512, 'x'), 'the archive is no tar'],
  ['a tar with a changed header', Buffer.alloc(1_024, 'a'), 'the archive is no tar'],
])('%s is refused', async (_name, bytes, message) => {
  await expect(readAll(pieces(bytes, 512))).rejects.toThrow(message);
});

test('an archive that ends within a file, or within a header, is refused', async () => {
  const archive = await written([file('a', 'x'.repeat(600))]);
  for (const length of [100, 600, 1_000]) {
    await expect(readAll(pieces(archive.subarray(0, length), 512))).rejects.toThrow('the archive ends too early');
  }
});
