import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { InfraError } from '@assay/failures';
import type { SandboxMount } from './sandbox.port';

/**
 * Refuses mounts that an engine would take for something else: it makes a folder that is not there, and reads a relative
 * path as the name of a volume.
 * @throws InfraError `mount_refused`
 */
export async function checkMounts(mounts: readonly SandboxMount[]): Promise<void> {
  for (const { hostDir, insideDir } of mounts) {
    if (!isAbsolute(hostDir) || !isAbsolute(insideDir)) throw refused(hostDir, insideDir, 'both must be absolute');
    const found = await stat(hostDir).catch(() => null);
    if (found?.isDirectory() !== true) throw refused(hostDir, insideDir, 'there is no such folder on this host');
  }
}

/** The mount of a folder of the host. @throws RangeError when there is none */
export function mountOf(mounts: readonly SandboxMount[], hostDir: string): SandboxMount {
  const mount = mounts.find((each) => each.hostDir === hostDir);
  if (mount === undefined) throw new RangeError(`${hostDir} was not mounted into this sandbox`);
  return mount;
}

function refused(hostDir: string, insideDir: string, why: string): InfraError {
  return new InfraError(`${hostDir} cannot be mounted at ${insideDir}: ${why}`, {
    code: 'mount_refused',
    phase: 'prepare',
    details: { hostDir, insideDir },
  });
}
