import { normalize, sep } from 'node:path';
import { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { extract, type Header } from 'tar-stream';
import { FetchMeter } from '../fetch-meter';
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

type OnEntry = (header: Header, content: Readable, path: string, root: string) => Promise<void>;

/** Calls back for every entry with its path below the archive's root folder (empty for that folder itself). */
export async function eachEntry(archive: Readable, onEntry: OnEntry): Promise<void> {
  const tar = extract();
  let root: string | null = null;
  const piping = pipeline(archive, tar).catch(() => undefined); // the loop gets the same error
  try {
    for await (const entry of tar) {
      root ??= entry.header.name.split('/')[0] ?? '';
      const path = below(root, entry.header.name);
      const content = Readable.from(entry);
      if (path === null) content.resume();
      else await onEntry(entry.header, content, path, root);
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
export function below(root: string, name: string): string | null {
  const plain = normalize(name.replace(/\/+$/, ''));
  if (plain === root) return '';
  return plain.startsWith(root + sep) && !plain.split(sep).includes('..') ? plain.slice(root.length + 1) : null;
}
