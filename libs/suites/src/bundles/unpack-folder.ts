import { ContractError } from '@assay/failures';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Extract, extract, type Header } from 'tar-stream';
import { MAX_BUNDLE_BYTES } from './pack-folder';

const MAX_ENTRIES = 100_000;

/** A bundle's bytes, or the host file that holds them. */
export type BundleSource = Buffer | { readonly file: string };

/**
 * Unpacks a bundle into `dir`, which is made and must not hold any of its files yet. Only folders and regular files
 * with plain relative names; nothing is overwritten.
 * @throws ContractError `bundle_malformed`: bundles are made by us, so a bad one is our fault
 */
export async function unpackFolder(bundle: BundleSource, dir: string, maxBytes = MAX_BUNDLE_BYTES): Promise<void> {
  await mkdir(dir, { recursive: true });
  const source = Buffer.isBuffer(bundle) ? Readable.from([bundle]) : createReadStream(bundle.file);
  const entries = extract();
  const broken = new AbortController();
  try {
    const feeding = pipeline(source, entries);
    // A tar that ends too early fails here, while the entry that is being written would wait for ever.
    feeding.catch(() => {
      broken.abort();
    });
    const [, count] = await Promise.all([feeding, writeEntries(entries, dir, maxBytes, broken.signal)]);
    if (count === 0) throw malformed('it is empty');
  } catch (error) {
    source.destroy();
    if (error instanceof ContractError) throw error;
    throw malformed(String((error as { message?: unknown }).message ?? error), error);
  }
}

async function writeEntries(entries: Extract, dir: string, maxBytes: number, signal: AbortSignal): Promise<number> {
  const seen = new Set<string>();
  let total = 0;
  for await (const entry of entries) {
    const { name, type, mode, size } = entry.header;
    const why = refusal(entry.header, seen);
    if (why !== null) throw malformed(`${JSON.stringify(name)}: ${why}`);
    total += size;
    if (total > maxBytes) throw malformed(`more than ${maxBytes} bytes`);
    const path = join(dir, name);
    if (type === 'directory') {
      await mkdir(path, { recursive: true, mode: 0o755 });
      entry.resume();
    } else {
      await mkdir(dirname(path), { recursive: true });
      const file = createWriteStream(path, { flags: 'wx', mode: (mode & 0o100) === 0 ? 0o644 : 0o755 });
      await pipeline(entry, file, { signal });
    }
  }
  return seen.size;
}

function refusal({ name, type }: Header, seen: Set<string>): string | null {
  const plain = name.replace(/\/$/, '');
  if (type !== 'file' && type !== 'directory') return `a ${type} is not allowed`;
  const parts = plain.split('/');
  if (plain === '' || parts.some((part) => part === '' || part === '.' || part === '..') || /[\0\\]/.test(plain)) {
    return 'the name is not a plain relative path';
  }
  if (seen.has(plain)) return 'the name occurs twice';
  if (seen.size >= MAX_ENTRIES) return `more than ${MAX_ENTRIES} entries`;
  seen.add(plain);
  return null;
}

function malformed(why: string, cause?: unknown): ContractError {
  return new ContractError(`malformed bundle: ${why}`, { code: 'bundle_malformed', phase: 'prepare', cause });
}
