import { createReadStream, type Stats } from 'node:fs';
import { chmod, lstat, readFile, readlink } from 'node:fs/promises';
import { bytePath, hostPath, type BytePath } from '../byte-path';
import { FetchMeter } from '../fetch-meter';
import type { TarPart } from './tar/write-tar';

/** A file up to this is read at once, which costs less than a stream. Bytes. */
const SMALL = 1_048_576;

/** Files and links below a folder of the host as parts of a tar, below `prefix`. Anything else is left out. */
export async function* partsIn(hostDir: string, paths: readonly BytePath[], prefix: BytePath): AsyncGenerator<TarPart> {
  for (const path of paths) {
    const host = hostPath(hostDir, path);
    const stat = await lstat(host);
    const there = prefix === '' ? path : `${prefix}/${path}`;
    if (stat.isSymbolicLink()) {
      yield { kind: 'link', path: there, target: bytePath(await readlink(host, { encoding: 'buffer' })) };
    } else if (stat.isFile()) {
      yield {
        kind: 'file',
        path: there,
        mode: FetchMeter.hostMode(stat.mode),
        size: stat.size,
        content: await contentOf(host, stat),
      };
    }
  }
}

async function contentOf(host: Buffer, { mode, size }: Stats): Promise<Iterable<Buffer> | AsyncIterable<Buffer>> {
  if ((mode & 0o400) === 0) await chmod(host, 0o600 | (mode & 0o100));
  return size <= SMALL ? [await readFile(host)] : (createReadStream(host) as AsyncIterable<Buffer>);
}
