import { isAbsolute, resolve } from 'node:path';
import { BlamedError } from '@assay/failures';
import { registerSecret } from '@assay/telemetry';
import { z } from 'zod';
import { readSecretFile, UnsafeSecretFile } from './secret-file';
import { setting, type Setting } from './setting';
import { reasonOf } from './start-error';

interface Bounds {
  readonly min?: number;
  readonly max?: number;
}

/** A TCP port; 0 means any free one. */
export function envPort(fallback?: number): Setting<number> {
  return setting('a port from 0 to 65535', integer({ max: 65_535 }), shown(fallback));
}

/** A whole number. Required unless there is a fallback. */
export function envInt(fallback?: number, bounds: Bounds = {}): Setting<number> {
  return setting(`a whole number${range(bounds)}`, integer(bounds), shown(fallback));
}

/** A decimal number. Required unless there is a fallback. */
export function envNumber(fallback?: number, bounds: Bounds = {}): Setting<number> {
  const read = (text: string): number | undefined =>
    /^-?\d+(\.\d+)?$/.test(text) ? within(Number(text), bounds) : undefined;
  return setting(`a number${range(bounds)}`, read, shown(fallback));
}

/** `true`/`false`, also `1`/`0`, `yes`/`no`, `on`/`off`. */
export function envBool(fallback?: boolean): Setting<boolean> {
  const read = (text: string): boolean | undefined => {
    const word = text.toLowerCase();
    return (
      ['true', '1', 'yes', 'on'].includes(word) || (['false', '0', 'no', 'off'].includes(word) ? false : undefined)
    );
  };
  return setting('true or false', read, shown(fallback));
}

/** Any text that is not empty. */
export function envText(fallback?: string): Setting<string> {
  return setting('some text', (text) => text, fallback);
}

/** A path; made absolute against the working directory. Nothing is checked on the disk. */
export function envPath(fallback?: string): Setting<string> {
  const read = (text: string): string | undefined =>
    text.includes('\0') ? undefined : isAbsolute(text) ? text : resolve(text);
  return setting('a path', read, fallback);
}

/** Words separated by commas, each one of `allowed` when that is given; no word twice, at least one. */
export function envList<const T extends string = string>(
  allowed?: readonly T[],
  fallback?: readonly T[],
): Setting<T[]> {
  const expected = `a list separated by commas${allowed === undefined ? '' : ` of: ${allowed.join(', ')}`}`;
  const read = (text: string): T[] | undefined => {
    const words = text.split(',').map((word) => word.trim());
    const known = words.every((word) => word !== '' && (allowed === undefined || allowed.includes(word as T)));
    return known && new Set(words).size === words.length ? (words as T[]) : undefined;
  };
  return setting(expected, read, fallback?.join(','));
}

/** One of a few words. */
export function envChoice<const T extends string>(allowed: readonly T[], fallback?: T): Setting<T> {
  return setting(`one of: ${allowed.join(', ')}`, (text) => allowed.find((word) => word === text), fallback);
}

/** A URL of one of the protocols (without colon). A password in it is registered as a secret. */
export function envUrl(protocols: readonly string[] = ['http', 'https'], fallback?: string): Setting<string> {
  const expected = `a URL that begins with ${protocols.map((name) => `${name}://`).join(' or ')}`;
  const read = (text: string): string | undefined => {
    const url = URL.canParse(text) ? new URL(text) : null;
    if (url === null || !protocols.includes(url.protocol.slice(0, -1)) || url.host === '') return undefined;
    registerSecret(decodeURIComponent(url.password));
    return text;
  };
  return setting(expected, read, fallback);
}

/** Servers of NATS: one URL, or several separated by commas. */
export function envNatsUrls(fallback?: string): Setting<string> {
  const one = envUrl(['nats', 'tls', 'ws', 'wss']);
  const read = (text: string): string | undefined =>
    text.split(',').every((part) => one.safeParse(part.trim()).success) ? text : undefined;
  return setting('one or more NATS URLs (nats://host:port) separated by commas', read, fallback);
}

/** A secret in the variable itself. Prefer `secretFile`: environments are easily seen. */
export function envSecret(): Setting<string> {
  const read = (text: string): string => {
    registerSecret(text);
    return text;
  };
  return setting('a secret', read, undefined, true);
}

/**
 * The variable names a file; the value is what `read` makes of it when the process starts.
 * @param expected what the variable holds, beginning with "the path of"
 * @param read its BlamedError or UnsafeSecretFile says in full what is wrong with the file
 */
export function fileSetting<T>(expected: string, read: (file: string) => T): Setting<T> {
  return z
    .string({ error: `expected ${expected}` })
    .transform((file, context): T => {
      try {
        return read(file);
      } catch (error) {
        const told = error instanceof BlamedError || error instanceof UnsafeSecretFile;
        const reason = told ? error.message : `it cannot be read: ${reasonOf(error)}`;
        context.addIssue({ code: 'custom', message: `expected ${expected}, but ${reason}` });
        return z.NEVER;
      }
    })
    .meta({ expected, fallback: null, secret: false });
}

/** The variable names a file; the value is the file's content, checked by the rules of `readSecretFile`. */
export function secretFile(): Setting<string> {
  const expected = 'the path of a file with the secret (mode 0600, 0440 or 0400, no link)';
  return z
    .string({ error: `expected ${expected}` })
    .transform((file, context): string => {
      try {
        return readSecretFile(file);
      } catch (error) {
        if (!(error instanceof UnsafeSecretFile)) throw error;
        context.addIssue({ code: 'custom', message: `expected ${expected}, but ${error.message}` });
        return z.NEVER;
      }
    })
    .meta({ expected, fallback: null, secret: false });
}

function integer(bounds: Bounds): (text: string) => number | undefined {
  return (text) => (/^-?\d{1,15}$/.test(text) ? within(Number(text), { min: 0, ...bounds }) : undefined);
}

function within(value: number, { min = -Infinity, max = Infinity }: Bounds): number | undefined {
  return value >= min && value <= max ? value : undefined;
}

function range({ min, max }: Bounds): string {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
  if (min !== undefined) return ` of at least ${min}`;
  return max === undefined ? '' : ` of at most ${max}`;
}

function shown(value: number | boolean | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}
