import { types } from 'node:util';

/** The database cannot be opened: no server, wrong login, no such database. `message` is the whole story, in one line. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
}

/**
 * Says where and why in one line, without the password. The driver's own error is kept as the cause.
 * @param url the connection string as configured
 */
export function databaseUnavailable(url: string, cause: unknown): DatabaseUnavailable {
  return new DatabaseUnavailable(`cannot open the database ${place(url)}: ${reason(cause)}`, { cause });
}

/** `host:port/name`, or words where the string is no URL. */
function place(url: string): string {
  if (!URL.canParse(url)) return '(its address is not a URL such as postgres://user@host:5432/name)';
  const { hostname, port, pathname } = new URL(url);
  return `${hostname}:${port === '' ? '5432' : port}${pathname}`;
}

/** What was said, in one line: a refused connection to a name of two addresses is an AggregateError without words. */
function reason(cause: unknown): string {
  if (!types.isNativeError(cause)) return String(cause);
  if (cause.message !== '') return cause.message.replaceAll(/\s*\n\s*/g, ' ');
  return 'errors' in cause && Array.isArray(cause.errors) ? cause.errors.map(reason).join('; ') : cause.name;
}
