import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pack, type Pack } from 'tar-stream';
import type { Phase } from '@assay/contracts';
import { hostEntries } from '../host-tree';

/** A tar of a folder of the host, its entries below `prefix` (no leading slash). Links outside are refused. */
export function packFolder(hostDir: string, prefix: string, phase: Phase): Readable {
  const tar = pack();
  fill(tar, hostDir, prefix, phase).then(
    () => {
      tar.finalize();
    },
    (error: unknown) => {
      tar.destroy(error as Error);
    },
  );
  return Readable.from(tar);
}

async function fill(tar: Pack, hostDir: string, prefix: string, phase: Phase): Promise<void> {
  const at = (path: string): string => (prefix === '' ? path : `${prefix}/${path}`);
  if (prefix !== '') tar.entry({ name: prefix, type: 'directory', mode: 0o755 });
  for await (const entry of hostEntries(hostDir, phase)) {
    const name = at(entry.path);
    if (entry.kind === 'folder') tar.entry({ name, type: 'directory', mode: entry.mode });
    else if (entry.kind === 'link') tar.entry({ name, type: 'symlink', linkname: entry.target });
    else
      await pipeline(
        createReadStream(join(hostDir, entry.path)),
        tar.entry({ name, mode: entry.mode, size: entry.size }),
      );
  }
}

/** A tar of folders (made if need be, open to every user) and files. */
export function packEntries(
  folders: readonly string[],
  files: readonly { readonly path: string; readonly content: Buffer; readonly mode: number }[],
): Readable {
  const tar = pack();
  for (const name of folders) tar.entry({ name: inTar(name), type: 'directory', mode: 0o777 });
  for (const { path, content, mode } of files) tar.entry({ name: inTar(path), mode, size: content.length }, content);
  tar.finalize();
  return Readable.from(tar);
}

export function inTar(path: string): string {
  return path.replace(/^\/+/, '');
}
