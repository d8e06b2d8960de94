import { codeOf } from './disk-failure';

/**
 * What a mount answers that cannot do what it is asked: EXDEV and EPERM for a rename (FUSE file systems over object
 * stores, a mount point between the two folders), ENOTSUP and ENOSYS for what a driver leaves out, EINVAL for syncing a
 * folder (rename(2) and fsync(2)).
 */
const UNABLE = new Set(['EPERM', 'EXDEV', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL']);

/** True for an error that says that the mount does not offer this call at all. */
export function isUnable(error: unknown): boolean {
  return UNABLE.has(codeOf(error));
}

/** Does what a mount may not offer; resolves whether it did. Rejects with any other error. */
export async function ifAble(work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (isUnable(error)) return false;
    throw error;
  }
}
