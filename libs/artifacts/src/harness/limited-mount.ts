import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder seen through a mount that refuses chmod, chown, chgrp and rename, as some network file systems do. */
export interface LimitedMount {
  readonly dir: string;
  unmount(): Promise<void>;
}

/** Null when such a mount can be made here: bindfs, FUSE, and the right to mount. */
export function missingLimitedMount(): string | null {
  if (spawnSync('bindfs', ['--version']).error !== undefined) return 'bindfs (apt-get install bindfs)';
  const dir = mkdtempSync(join(tmpdir(), 'assay-limited-'));
  const probe = spawnSync('bindfs', [dir, dir, '-o', 'nonempty'], { encoding: 'utf8' });
  if (probe.status === 0) spawnSync('umount', [dir]);
  rmSync(dir, { recursive: true });
  return probe.status === 0 ? null : `the right to mount by FUSE: ${probe.stderr.trim()}`;
}

export async function limitedMount(): Promise<LimitedMount> {
  const base = await mkdtemp(join(tmpdir(), 'assay-limited-'));
  const [behind, dir] = [join(base, 'behind'), join(base, 'mount')];
  for (const folder of [behind, dir]) await mkdir(folder);
  const refused = ['--chmod-deny', '--chown-deny', '--chgrp-deny', '--rename-deny'];
  const mounted = spawnSync('bindfs', [...refused, behind, dir], { encoding: 'utf8' });
  if (mounted.status !== 0) throw new Error(mounted.stderr);
  return {
    dir,
    async unmount() {
      const { status, stderr } = spawnSync('umount', [dir], { encoding: 'utf8' });
      if (status !== 0) throw new Error(stderr);
      await rm(base, { recursive: true, force: true });
    },
  };
}
