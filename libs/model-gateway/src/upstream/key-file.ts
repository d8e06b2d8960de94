import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync, statSync, type Stats } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { InfraError } from '@assay/failures';

const LARGEST = 64 * 1024;

/**
 * The model's key in a file, without the white space around it. Refused: an empty file, a symbolic link, anything that is
 * no regular file, one of another user than this one or root, one that the group or others can read or write, and one in
 * a folder that the group or others can write to; a sticky bit is no excuse, since whoever may add files there decides
 * what this name is before the key is put in. Folders above must not be open to others either, unless sticky: they could
 * be renamed. The checks are made on the open file.
 * @throws InfraError `model_key_unsafe` with the path and the reason, never with the content
 */
export function readKeyFile(path: string): string {
  const file = resolve(path);
  const handle = opened(file);
  try {
    checkFile(file, fstatSync(handle));
    checkFolders(file);
    const key = readFileSync(handle, 'utf8').trim();
    if (key === '') throw unsafe(file, 'is empty');
    // It goes into an HTTP header, whose own complaint would show it.
    if (!/^[\x21-\x7e]+$/.test(key))
      throw unsafe(file, 'must hold one line of printable ASCII characters without spaces');
    return key;
  } finally {
    closeSync(handle);
  }
}

function opened(file: string): number {
  try {
    // O_NONBLOCK: a named pipe must not keep the start waiting for its writer.
    return openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    const reasons: Readonly<Record<string, string>> = {
      ELOOP: 'is a symbolic link',
      ENOENT: 'does not exist',
      EACCES: 'may not be read by this user',
    };
    throw unsafe(file, reasons[code] ?? `cannot be opened (${code})`, error);
  }
}

function checkFile(file: string, found: Stats): void {
  if (!found.isFile()) throw unsafe(file, 'is not a regular file');
  if (!ownOrRoot(found)) throw unsafe(file, `belongs to user ${found.uid}, who is neither this one nor root`);
  if ((found.mode & 0o077) !== 0)
    throw unsafe(file, `has mode ${octal(found)}: group or others can read or write it (want 0600)`);
  if (found.size > LARGEST) throw unsafe(file, 'has more than 64 KiB');
}

function checkFolders(file: string): void {
  const folder = dirname(file);
  const found = statSync(folder);
  if ((found.mode & 0o022) !== 0) {
    throw unsafe(file, `lies in ${folder} of mode ${octal(found)}: group or others can write there (want 0700)`);
  }
  // As it was named and as it really is: both ways could be changed.
  for (const from of new Set([folder, realpathSync(folder)])) {
    for (let above = from; ; above = dirname(above)) {
      checkAbove(file, above, statSync(above));
      if (above === dirname(above)) break;
    }
  }
}

function checkAbove(file: string, above: string, found: Stats): void {
  if (!ownOrRoot(found)) {
    throw unsafe(file, `lies below ${above}, which belongs to user ${found.uid}, neither this one nor root`);
  }
  if ((found.mode & 0o002) !== 0 && (found.mode & 0o1000) === 0) {
    throw unsafe(file, `lies below ${above} of mode ${octal(found)}: others can write there`);
  }
}

function ownOrRoot({ uid }: Stats): boolean {
  return uid === 0 || uid === process.geteuid?.();
}

function octal({ mode }: Stats): string {
  return `0${(mode & 0o7777).toString(8)}`;
}

function unsafe(file: string, reason: string, cause?: unknown): InfraError {
  return new InfraError(`the key file ${file} ${reason}`, {
    code: 'model_key_unsafe',
    phase: 'prepare',
    details: { file, reason },
    cause,
  });
}
