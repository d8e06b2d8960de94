import { closeSync, constants, fstatSync, openSync, readFileSync, statSync, type Stats } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { registerSecret } from '@assay/telemetry';
import { codeOf } from './native-error';

const LARGEST = 64 * 1024;
/** Group-readable and nothing more: how container platforms mount secrets. */
const MOUNTED = 0o440;

/** Why a secret file is not used; the message names the file and the rule. */
export class UnsafeSecretFile extends Error {}

/**
 * The secret in a file, without white space around it, registered so that no log line shows it. Refused is what
 * `readPrivateFile` refuses, and a text that could not be sent in an HTTP header.
 */
export function readSecretFile(path: string): string {
  const secret = readPrivateFile(path).trim();
  if (secret === '') throw new UnsafeSecretFile(`${resolve(path)} is empty`);
  // All of them are sent in HTTP headers, whose own complaint would show the secret.
  if (!/^[\x21-\x7e]+$/.test(secret)) {
    throw new UnsafeSecretFile(`${resolve(path)} must hold one line of printable ASCII characters without spaces`);
  }
  registerSecret(secret);
  return secret;
}

/**
 * The text of a file that nobody else may see. Refused: a link, anything but a regular file, one that the group or
 * others can read or write (0440 is allowed), a huge one, and one in a folder that anybody can write to. File and checks
 * are of the same open file.
 */
export function readPrivateFile(path: string): string {
  const file = resolve(path);
  const handle = opened(file);
  try {
    refuseUnsafe(file, fstatSync(handle));
    if ((statSync(dirname(file)).mode & 0o002) !== 0) {
      throw new UnsafeSecretFile(`${dirname(file)} can be written to by anybody`);
    }
    return readFileSync(handle, 'utf8');
  } finally {
    closeSync(handle);
  }
}

function opened(file: string): number {
  try {
    // O_NONBLOCK: a named pipe must not keep the start waiting for its writer.
    return openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ELOOP') throw new UnsafeSecretFile(`${file} is a symbolic link`, { cause: error });
    if (code === 'ENOENT') throw new UnsafeSecretFile(`${file} does not exist`, { cause: error });
    if (code === 'EACCES') throw new UnsafeSecretFile(`${file} may not be read by this user`, { cause: error });
    throw new UnsafeSecretFile(`${file} cannot be opened (${String(code)})`, { cause: error });
  }
}

function refuseUnsafe(file: string, found: Stats): void {
  if (!found.isFile()) throw new UnsafeSecretFile(`${file} is not a regular file`);
  const mode = found.mode & 0o777;
  if ((mode & 0o077) !== 0 && mode !== MOUNTED) {
    throw new UnsafeSecretFile(`${file} has mode 0${mode.toString(8)}: others could read or change it`);
  }
  if (found.size > LARGEST) throw new UnsafeSecretFile(`${file} has more than 64 KiB`);
}
