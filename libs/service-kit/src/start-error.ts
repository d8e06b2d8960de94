import { redactText } from '@assay/telemetry';
import { codeOf, isError } from './native-error';

/** Why a service cannot start, in one line for a person. The process ends with exit code 1. */
export class StartError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'StartError';
  }
}

/**
 * Does a first step that needs another server; its failure becomes one line that names server, address and variable.
 * @param what e.g. `PostgreSQL`
 * @param variable where its address comes from, e.g. `DATABASE_URL`
 */
export async function reach<T>(what: string, variable: string, address: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new StartError(`cannot reach ${what} at ${place(address)} (${variable}): ${reasonOf(error)}`, error);
  }
}

/** The line for a port that somebody else has; any other error stays as it is. */
export function listenFailure(error: unknown, host: string, port: number): unknown {
  const code = codeOf(error);
  if (code === 'EADDRINUSE') {
    return new StartError(`port ${port} on ${host} is taken: set ASSAY_HTTP_PORT to another, or to 0 for any`, error);
  }
  if (code === 'EACCES') return new StartError(`port ${port} may not be opened: set ASSAY_HTTP_PORT`, error);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new StartError(`this machine has no address ${host}: set ASSAY_HTTP_HOST`, error);
  }
  return error;
}

/** One line about any error: its message, else that of what it wraps. Without secrets. */
export function reasonOf(error: unknown): string {
  const text = messages(error).find((message) => message !== '') ?? 'unknown error';
  return redactText(text.split('\n', 1)[0] ?? text);
}

function messages(error: unknown): string[] {
  if (!isError(error)) return [String(error)];
  const inner: unknown[] = 'errors' in error && Array.isArray(error.errors) ? error.errors : [error.cause];
  return [error.message, ...inner.filter((one) => one !== undefined).flatMap(messages)];
}

/** Host and port of a URL, or of each of several; never its user or password. */
function place(address: string): string {
  const hosts = address
    .split(',')
    .map((one) => (URL.canParse(one.trim()) ? new URL(one.trim()).host : redactText(one)));
  return hosts.join(',');
}
