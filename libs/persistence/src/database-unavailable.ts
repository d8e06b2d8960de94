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

/** The innermost that was said: a refused connection to a name with two addresses is an AggregateError without words. */
function reason(cause: unknown): string {
  if (cause instanceof AggregateError) return cause.errors.map(reason).join('; ');
  if (cause instanceof Error && cause.message !== '') return cause.message.split('\n')[0] ?? cause.message;
  return 'no reason given';
}
