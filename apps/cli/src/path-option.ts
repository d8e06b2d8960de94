import { isUtf8 } from 'node:buffer';
import { accessSync, constants, lstatSync, mkdtempSync, readFileSync, rmdirSync, statSync, type Stats } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { UsageError } from './output';

/** Where a path comes from, and what is wanted there, in words: `{ option: '--suite', wanted: 'a suite file' }`. */
export interface PathOption {
  readonly option: string;
  readonly wanted: string;
}

/** No file that people write is as large. Bytes. */
const LARGEST_TEXT = 16 * 1024 * 1024;

/** A file that is read later, perhaps as a stream, so a pipe will do. Throws UsageError in one line. */
export function requireFile(about: PathOption, path: string): void {
  const found = there(about, path);
  if (!found.isFile() && !found.isFIFO()) throw refused(about, path, `is ${kindOf(found)}`);
  mayUse(about, path, constants.R_OK);
}

/** The text of a file that a person wrote, and that others read again. Throws UsageError in one line. */
export function textIn(about: PathOption, path: string): string {
  const found = there(about, path);
  if (!found.isFile()) throw refused(about, path, `is ${kindOf(found)}`);
  if (found.size > LARGEST_TEXT) throw refused(about, path, `has ${found.size} bytes`);
  mayUse(about, path, constants.R_OK);
  const bytes = attempt(about, path, () => readFileSync(path));
  if (bytes.length === 0) throw refused(about, path, 'is empty');
  if (!isUtf8(bytes) || bytes.includes(0)) throw refused(about, path, 'is no text');
  return bytes.toString('utf8');
}

/** A file or folder to read from. Throws UsageError in one line. */
export function requireThere(about: PathOption, path: string): void {
  if (there(about, path).isDirectory()) requireFolder(about, path);
  else requireFile(about, path);
}

/** A folder to read from. Throws UsageError in one line. */
export function requireFolder(about: PathOption, path: string): void {
  const found = there(about, path);
  if (!found.isDirectory()) throw refused(about, path, `is ${kindOf(found)}`);
  mayUse(about, path, constants.R_OK | constants.X_OK);
}

/**
 * A file that can be written, there or not: asked before work is done that would be lost.
 * Throws UsageError in one line.
 */
export function requireWritable(option: string, path: string): void {
  const about = { option, wanted: 'a file that can be written' };
  const found = look(about, path);
  if (found !== null) {
    if (found.isDirectory()) throw refused(about, path, 'is a folder');
    mayUse(about, path, constants.W_OK);
    return;
  }
  if (/[/\\]$/.test(path)) throw refused(about, path, 'names a folder');
  const folder = look(about, dirname(resolve(path)));
  if (folder === null) throw refused(about, path, 'is in a folder that is not there');
  attempt(about, path, () => {
    accessSync(dirname(resolve(path)), constants.W_OK | constants.X_OK);
  });
}

/** A file that can be written and is not there yet, not even as a link. Throws UsageError in one line. */
export function requireNew(option: string, path: string): void {
  requireWritable(option, path);
  const about = { option, wanted: 'a file that is not there yet' };
  const found = attempt(about, path, () => lstatSync(path, { throwIfNoEntry: false }));
  if (found !== undefined) throw refused(about, path, 'is there');
}

/** A folder that is there and can be written to, or can be made with those above it. Throws UsageError in one line. */
export function requireFolderPlace(option: string, path: string): void {
  const about = { option, wanted: 'a folder that can be made or written to' };
  const found = look(about, path);
  if (found !== null) {
    if (!found.isDirectory()) throw refused(about, path, `is ${kindOf(found)}`);
    mayUse(about, path, constants.W_OK | constants.X_OK);
    mayMakeIn(about, path, resolve(path));
    return;
  }
  let above = dirname(resolve(path));
  while (look(about, above) === null) above = dirname(above);
  attempt(about, path, () => {
    accessSync(above, constants.W_OK | constants.X_OK);
  });
  mayMakeIn(about, path, above);
}

/**
 * The rights of a folder do not tell whether anything can be made in it: /proc lets its owner write and takes nothing, and a
 * recursive mkdir there never ends (https://github.com/nodejs/node/issues/31481).
 */
function mayMakeIn(about: PathOption, path: string, folder: string): void {
  try {
    rmdirSync(mkdtempSync(join(folder, '.assay-')));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw refused(about, path, code === 'ENOENT' ? 'is where no folder can be made' : pathTrouble(error));
  }
}

/** What an error of the file system means for a path, in words that follow it. */
export function pathTrouble(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return WORDS[code] ?? `cannot be used: ${message}`;
}

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'is not there',
  ENOTDIR: 'leads through something that is no folder',
  EACCES: 'may not be used so by this user',
  EPERM: 'may not be used so by this user',
  EROFS: 'is on a file system that can only be read',
  ELOOP: 'is a link that leads to itself',
  ENAMETOOLONG: 'is too long a name',
  EISDIR: 'is a folder',
  ENOSPC: 'has no room left',
};

function there(about: PathOption, path: string): Stats {
  const found = look(about, path);
  if (found === null) throw refused(about, path, 'is not there');
  return found;
}

/** Null: nothing is there, and something could be. */
function look(about: PathOption, path: string): Stats | null {
  // For the system it is a path that is not there; joined with another it is the current folder.
  if (path === '') throw refused(about, path, 'is empty');
  return attempt(about, path, () => {
    try {
      return statSync(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  });
}

function mayUse(about: PathOption, path: string, mode: number): void {
  attempt(about, path, () => {
    accessSync(path, mode);
  });
}

function attempt<T>(about: PathOption, path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw refused(about, path, pathTrouble(error));
  }
}

function refused({ option, wanted }: PathOption, path: string, trouble: string): UsageError {
  if (path === '' || path.includes('\0')) {
    return new UsageError(`${option}: expected ${wanted}, got ${JSON.stringify(path)}`);
  }
  return new UsageError(`${option}: expected ${wanted}, but ${path} ${trouble}`);
}

function kindOf(found: Stats): string {
  if (found.isDirectory()) return 'a folder';
  if (found.isFile()) return 'a file';
  return found.isFIFO() ? 'a pipe' : 'a device or socket';
}
