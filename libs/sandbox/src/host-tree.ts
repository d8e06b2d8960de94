import { lstat, readdir, readlink } from 'node:fs/promises';
import { dirname, join, normalize, sep } from 'node:path';
import { TaskError } from '@assay/failures';
import type { Phase } from '@assay/contracts';

/** One entry of a folder of the host. Folders come before what is in them; order is by name, so it is the same always. */
export type HostEntry =
  | { readonly kind: 'folder'; readonly path: string; readonly mode: number }
  | { readonly kind: 'file'; readonly path: string; readonly mode: number; readonly size: number }
  | { readonly kind: 'link'; readonly path: string; readonly target: string };

/**
 * Everything below `root`, with paths relative to it and `/` between their parts.
 * @throws TaskError `link_escapes` for a link that leads outside of `root`, `unsupported_file` for devices and the like
 */
export async function* hostEntries(root: string, phase: Phase, below = ''): AsyncGenerator<HostEntry> {
  const names = (await readdir(join(root, below))).sort();
  for (const name of names) {
    const path = below === '' ? name : `${below}/${name}`;
    const stat = await lstat(join(root, path));
    const mode = stat.mode & 0o7777;
    if (stat.isDirectory()) {
      yield { kind: 'folder', path, mode };
      yield* hostEntries(root, phase, path);
    } else if (stat.isFile()) {
      yield { kind: 'file', path, mode, size: stat.size };
    } else if (stat.isSymbolicLink()) {
      const target = await readlink(join(root, path));
      if (leavesRoot(path, target)) {
        throw new TaskError(`the link ${path} leads outside of its folder`, {
          code: 'link_escapes',
          phase,
          details: { path, target },
        });
      }
      yield { kind: 'link', path, target };
    } else {
      throw new TaskError(`${path} is neither file, folder nor link`, {
        code: 'unsupported_file',
        phase,
        details: { path },
      });
    }
  }
}

/** True when a link at `path` (relative to a root) with this target leads out of the root. */
export function leavesRoot(path: string, target: string): boolean {
  if (target.startsWith('/')) return true;
  const resolved = normalize(join(dirname(path), target));
  return resolved === '..' || resolved.startsWith(`..${sep}`);
}
