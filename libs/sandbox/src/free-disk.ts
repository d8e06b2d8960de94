import { statfs } from 'node:fs/promises';
import { InfraError } from '@assay/failures';

/** A big repository with its environment has some 100,000 files. */
const MIN_FREE_FILES = 200_000;

/**
 * Asks whether an ordinary user may still write `wantedMb` megabytes, and some files, where `path` lies.
 * @throws InfraError `disk_full`
 */
export async function requireRoom(path: string, wantedMb: number, wantedFiles = MIN_FREE_FILES): Promise<void> {
  const { bavail, bsize, files, ffree } = await statfs(path);
  const freeMb = Math.floor((bavail * bsize) / 1_048_576);
  if (freeMb < wantedMb) throw full(`${path} has ${freeMb} MB free, below ${wantedMb} MB`, { freeMb, wantedMb });
  // Some file systems count no files.
  if (files === 0 || ffree >= wantedFiles) return;
  throw full(`${path} has room for ${ffree} files, below ${wantedFiles}`, { freeFiles: ffree, wantedFiles });
}

function full(message: string, details: Record<string, number>): InfraError {
  return new InfraError(message, { code: 'disk_full', phase: 'prepare', details });
}
