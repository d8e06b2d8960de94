import { createWriteStream } from 'node:fs';
import { chmod, copyFile, mkdir, symlink } from 'node:fs/promises';
import { basename, dirname, join, normalize, sep } from 'node:path';
import { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { extract, type Header } from 'tar-stream';
import { FetchMeter, workspaceReplaced } from '../fetch-meter';
import type { FetchBounds } from '../sandbox.port';
import { tooLarge } from '../process/confined';

/** The one regular file of an archive; null when its first entry is something else. @throws AgentError `file_too_large` */
export async function onlyFile(archive: Readable, path: string, maxBytes: number): Promise<Buffer | null> {
  const tar = extract();
  const piping = pipeline(archive, tar).catch(() => undefined); // ended early below, or told by the loop
  try {
    for await (const entry of tar) {
      const { type, size } = entry.header;
      if (type !== 'file') return null;
      if (size > maxBytes) throw tooLarge(path, size, maxBytes);
      const chunks: Buffer[] = [];
      for await (const chunk of entry) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks);
    }
    return null;
  } finally {
    archive.destroy();
    tar.destroy();
    await piping;
  }
}

/** Names directly in the folder that an archive holds. Content is skipped, no more than `bounds` of it. */
export async function namesIn(archive: Readable, bounds: FetchBounds): Promise<string[]> {
  const names = new Set<string>();
  const meter = new FetchMeter(bounds);
  await eachEntry(archive, async (header, content, path) => {
    meter.count(header.size);
    const [first] = path.split('/');
    if (first !== undefined && first !== '') names.add(first);
    await Promise.resolve();
  });
  return [...names].sort();
}

/**
 * Writes an archive of a folder below an empty folder of the host: files, folders and links as links; `.git`, devices and
 * whatever would land elsewhere is left out.
 */
export async function unpackTo(
  archive: Readable,
  insideDir: string,
  hostDir: string,
  bounds: FetchBounds,
): Promise<void> {
  const meter = new FetchMeter(bounds);
  const folders = new Set<string>(['.']);
  await eachEntry(archive, async (header, content, path) => {
    if (path === '' && header.type !== 'directory') throw workspaceReplaced(insideDir, header.type);
    const wanted = path !== '' && !path.split('/').includes('.git') && folders.has(dirname(path));
    if (wanted) {
      meter.count(header.type === 'file' ? header.size : 0);
      await writeEntry(header, content, join(hostDir, path), { hostDir, insideDir });
      if (header.type === 'directory') folders.add(path);
    }
  });
}

async function writeEntry(
  header: Header,
  content: Readable,
  target: string,
  { hostDir, insideDir }: { hostDir: string; insideDir: string },
): Promise<void> {
  const mode = FetchMeter.hostMode(header.mode);
  switch (header.type) {
    case 'directory':
      await mkdir(target, { recursive: true });
      return;
    case 'file':
      await pipeline(content, createWriteStream(target, { flags: 'wx', mode }));
      await chmod(target, mode);
      return;
    case 'symlink':
      await symlink(header.linkname, target);
      return;
    case 'link': {
      // A hard link names another entry of the same archive, which came before.
      const source = below(basename(insideDir), header.linkname);
      if (source !== null) await copyFile(join(hostDir, source), target);
      return;
    }
    case 'block-device':
    case 'character-device':
    case 'contiguous-file':
    case 'fifo':
    default:
      return; // no part of a patch
  }
}

type OnEntry = (header: Header, content: Readable, path: string) => Promise<void>;

/** Calls back for every entry with its path below the archive's root folder (empty for that folder itself). */
async function eachEntry(archive: Readable, onEntry: OnEntry): Promise<void> {
  const tar = extract();
  let root: string | null = null;
  const piping = pipeline(archive, tar).catch(() => undefined); // the loop gets the same error
  try {
    for await (const entry of tar) {
      root ??= entry.header.name.split('/')[0] ?? '';
      const path = below(root, entry.header.name);
      const content = Readable.from(entry);
      if (path === null) content.resume();
      else await onEntry(entry.header, content, path);
      await drained(content);
    }
  } finally {
    archive.destroy();
    tar.destroy();
    await piping;
  }
}

/** Reads what nobody wanted, so that the next entry comes. */
async function drained(content: Readable): Promise<void> {
  content.resume();
  await finished(content).catch(() => undefined); // a broken archive is told by the loop over its entries
}

/** A name relative to the archive's root folder; null when it is not below it. */
function below(root: string, name: string): string | null {
  const plain = normalize(name.replace(/\/+$/, ''));
  if (plain === root) return '';
  return plain.startsWith(root + sep) && !plain.split(sep).includes('..') ? plain.slice(root.length + 1) : null;
}
