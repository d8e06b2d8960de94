import type { Digest } from '@assay/contracts';
import { TaskError } from '@assay/failures';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';
import { folderEntries } from './folder-entries';

/** No bundle is larger than this: it is held in memory. Bytes. */
export const MAX_BUNDLE_BYTES = 256 * 1024 * 1024;

const MTIME = new Date(0);

/**
 * A folder as a tar that is equal byte for byte whenever names, contents and executable bits are: sorted entries, no
 * times, no owners, modes 0644 and 0755 only.
 * @throws TaskError `bundle_refused` for links outside, special files, or more than `maxBytes`
 */
export async function packFolder(dir: string, maxBytes = MAX_BUNDLE_BYTES): Promise<Buffer> {
  const entries = await folderEntries(dir);
  const total = entries.reduce((sum, { size }) => sum + size, 0);
  if (total > maxBytes) {
    throw new TaskError(`${dir} cannot be packed: it holds ${total} bytes, at most ${maxBytes} are allowed`, {
      code: 'bundle_refused',
      phase: 'dispatch',
      details: { dir, total, maxBytes },
    });
  }
  const tar = pack();
  const whole = buffer(tar);
  for (const { name, kind, file, executable } of entries) {
    const common = { name, mtime: MTIME, uid: 0, gid: 0, uname: '', gname: '' };
    if (kind === 'folder') tar.entry({ ...common, type: 'directory', mode: 0o755 });
    else tar.entry({ ...common, type: 'file', mode: executable ? 0o755 : 0o644 }, await readFile(file));
  }
  tar.finalize();
  return whole;
}

/** A Harbor task folder as its bundle. */
export function packTask(dir: string): Promise<Buffer> {
  return packFolder(dir);
}

/** Names the build context of an image: sha256 of the folder as `packFolder` writes it. */
export async function contextDigest(environmentDir: string): Promise<Digest> {
  return createHash('sha256')
    .update(await packFolder(environmentDir))
    .digest('hex') as Digest;
}
