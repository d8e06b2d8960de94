import type { Evidence } from './system-codes';

/** Links beyond this are dropped: a chain may be a ring. */
const LONGEST_CHAIN = 8;

/** The error, its cause, that one's cause and so on; of an AggregateError the first member stands for all. */
export function causeChain(error: unknown): Evidence[] {
  const chain: Evidence[] = [];
  const seen = new Set<unknown>();
  let link: unknown = error;
  while (link !== undefined && link !== null && !seen.has(link) && chain.length < LONGEST_CHAIN) {
    seen.add(link);
    chain.push(evidenceOf(link));
    link = nextLink(link);
  }
  return chain;
}

function nextLink(link: unknown): unknown {
  const cause = member(link, 'cause');
  if (cause !== undefined && cause !== null) return cause;
  const errors = member(link, 'errors');
  return Array.isArray(errors) ? (errors as unknown[])[0] : undefined;
}

function evidenceOf(link: unknown): Evidence {
  const message = typeof link === 'object' ? text(member(link, 'message')) : printed(link);
  return {
    name: text(member(link, 'name')) ?? typeof link,
    message: withoutCredentials(message ?? printed(link)).slice(0, 1000),
    code: text(member(link, 'code')),
    syscall: text(member(link, 'syscall')),
  };
}

/** User names and passwords inside URLs, and bearer tokens, are no evidence. */
export function withoutCredentials(message: string): string {
  return message
    .replace(/\b([a-z][a-z0-9+.-]*:\/\/)[^/\s@]+@/gi, '$1***@')
    .replace(/\b(Bearer|token)\s+[A-Za-z0-9._~+/=-]{8,}/gi, '$1 ***');
}

/** A property of anything; undefined where there is none, and where its getter throws. */
function member(value: unknown, key: string): unknown {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return undefined;
  try {
    return (value as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function printed(value: unknown): string {
  try {
    return (typeof value === 'object' ? JSON.stringify(value) : undefined) ?? String(value);
  } catch {
    return 'a value that cannot be printed';
  }
}
