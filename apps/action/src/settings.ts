import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';
import { ActionFailure } from './failure';

/** How the dispatcher is reached. */
export interface Settings {
  /** Without a slash at its end. */
  readonly url: string;
  readonly audience: string;
  /** PEM certificates to trust; null: those that Node trusts. */
  readonly ca: readonly string[] | null;
  readonly attempts: number;
  readonly requestTimeoutMs: number;
  readonly retryDelayMs: number;
}

/** The input `name` of the step; the runner hands it over as INPUT_<NAME>. Empty is absent. */
export function inputOf(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const value = (env[`INPUT_${name.toUpperCase()}`] ?? '').trim();
  return value === '' ? undefined : value;
}

/** @throws ActionFailure that names the input, what it expects and what it got */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  return {
    url: readUrl(env),
    audience: inputOf(env, 'audience') ?? 'assay',
    ca: readCertificates(env),
    attempts: readNumber(env, 'attempts', { byDefault: 8, least: 1, most: 20, whole: true }),
    requestTimeoutMs: 1000 * readNumber(env, 'request-timeout-seconds', { byDefault: 30, least: 0.1, most: 300 }),
    retryDelayMs: 1000 * readNumber(env, 'retry-delay-seconds', { byDefault: 2, least: 0, most: 60 }),
  };
}

function readUrl(env: NodeJS.ProcessEnv): string {
  const text = inputOf(env, 'url');
  if (text === undefined) throw new ActionFailure("url: expected the dispatcher's https: address, got nothing");
  const expected = 'url: expected an https: address (http: for localhost only) without user, password and query';
  // What was given is not repeated: it may hold a password.
  if (!URL.canParse(text)) throw new ActionFailure(expected);
  const { protocol, hostname, username, password, search, hash, href } = new URL(text);
  const local = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  const secure = protocol === 'https:' || (protocol === 'http:' && local);
  if (!secure || username !== '' || password !== '' || search !== '' || hash !== '') throw new ActionFailure(expected);
  return href.replace(/\/+$/, '');
}

function readCertificates(env: NodeJS.ProcessEnv): string[] | null {
  const file = inputOf(env, 'ca-file');
  if (file === undefined) return null;
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ActionFailure(`ca-file: cannot read ${file}: ${(error as Error).message}`);
  }
  if (!text.includes('-----BEGIN CERTIFICATE-----')) {
    throw new ActionFailure(`ca-file: expected PEM certificates, found none in ${file}`);
  }
  return [...rootCertificates, text];
}

interface Bounds {
  readonly byDefault: number;
  readonly least: number;
  readonly most: number;
  readonly whole?: boolean;
}

function readNumber(env: NodeJS.ProcessEnv, name: string, { byDefault, least, most, whole = false }: Bounds): number {
  const text = inputOf(env, name);
  if (text === undefined) return byDefault;
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN;
  if (value >= least && value <= most && (!whole || Number.isInteger(value))) return value;
  const kind = whole ? 'a whole number' : 'a number';
  throw new ActionFailure(`${name}: expected ${kind} from ${least} to ${most}, got ${JSON.stringify(text)}`);
}
