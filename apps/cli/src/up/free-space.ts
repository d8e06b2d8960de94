import { existsSync, statfsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ExitError } from '../output';

/** Of a start and a run of the demo this is ten times what they fill; PostgreSQL's log and the trials need room to grow. */
export const NEEDED_MIB = 512;

/** Throws ExitError where the file system that holds (or will hold) the folder has not enough room. */
export function requireSpace(dir: string, neededMib = NEEDED_MIB): void {
  const free = Math.floor(freeMib(dir));
  if (free >= neededMib) return;
  throw new ExitError(
    1,
    `the disk is too full: ${resolve(dir)} has ${free} MiB free, and at least ${neededMib} MiB are needed; ` +
      'free some, or give a folder elsewhere with --state-dir',
  );
}

function freeMib(dir: string): number {
  const { bavail, bsize } = statfsSync(nearest(resolve(dir)));
  return (bavail * bsize) / 2 ** 20;
}

/** The folder, or the closest one above it that is there. */
function nearest(dir: string): string {
  return existsSync(dir) || dirname(dir) === dir ? dir : nearest(dirname(dir));
}
