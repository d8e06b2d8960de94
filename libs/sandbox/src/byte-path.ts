import { isUtf8 } from 'node:buffer';

/**
 * A path as bytes, one character for each byte: names in a sandbox are bytes, not always text, and strings of it can be
 * compared, split and joined like any other.
 */
export type BytePath = string;

/** The path of an entry of a folder of the host, for a call of the file system. */
export function hostPath(hostDir: string, path: BytePath): Buffer {
  return path === '' ? Buffer.from(hostDir) : Buffer.concat([Buffer.from(`${hostDir}/`), Buffer.from(path, 'latin1')]);
}

export function bytePath(bytes: Buffer): BytePath {
  return bytes.toString('latin1');
}

/** The same path as text; null where its bytes are none (UTF-8). */
export function textOf(path: BytePath): string | null {
  const bytes = Buffer.from(path, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : null;
}
