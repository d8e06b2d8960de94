import { normalize, sep } from 'node:path';
import type { Readable } from 'node:stream';
import type { BytePath } from '../byte-path';
import { FetchMeter } from '../fetch-meter';
import { tooLarge } from '../process/confined';
import type { FetchBounds } from '../sandbox.port';
import { tarEntries, type TarEntry } from './tar/read-tar';

/** The one regular file of an archive; null when its first entry is something else. @throws AgentError `file_too_large` */
export async function onlyFile(archive: Readable, path: string, maxBytes: number): Promise<Buffer | null> {
  try {
    for await (const { type, size, content } of tarEntries(archive)) {
      if (type !== 'file') return null;
      if (size > maxBytes) throw tooLarge(path, size, maxBytes);
      const chunks: Buffer[] = [];
      for await (const chunk of content) chunks.push(chunk);
      return Buffer.concat(chunks);
    }
    return null;
  } finally {
    archive.destroy();
  }
}

/** Names directly in the folder that an archive holds, as text. Content is skipped, no more than `bounds` of it. */
export async function namesIn(archive: Readable, bounds: FetchBounds): Promise<string[]> {
  const names = new Set<string>();
  const meter = new FetchMeter(bounds);
  await eachEntry(archive, ({ size }, path) => {
    meter.count(size);
    const [first] = path.split('/');
    if (first !== undefined && first !== '') names.add(Buffer.from(first, 'latin1').toString('utf8'));
    return Promise.resolve();
  });
  return [...names].sort();
}

type OnEntry = (entry: TarEntry, path: BytePath, root: BytePath) => Promise<void>;

/** Calls back for every entry with its path below the archive's root folder (empty for that folder itself). */
export async function eachEntry(archive: Readable, onEntry: OnEntry): Promise<void> {
  let root: BytePath | null = null;
  try {
    for await (const entry of tarEntries(archive)) {
      root ??= entry.path.split('/')[0] ?? '';
      const path = below(root, entry.path);
      if (path !== null) await onEntry(entry, path, root);
    }
  } finally {
    archive.destroy();
  }
}

/** A name relative to the archive's root folder; null when it is not below it. */
export function below(root: BytePath, name: BytePath): BytePath | null {
  const plain = normalize(name.replace(/\/+$/, ''));
  if (plain === root) return '';
  return plain.startsWith(root + sep) && !plain.split(sep).includes('..') ? plain.slice(root.length + 1) : null;
}
