/** What stands under the names, one in the other; undefined where a link is missing. Only own properties count. */
export function member(value: unknown, ...names: readonly string[]): unknown {
  let at: unknown = value;
  for (const name of names) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Record<string, unknown>)[name];
  }
  return at;
}

/** A count as providers report it: a safe integer from 0 on; null for all else. */
export function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

export function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** The members of a list; none for all else. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

/** Characters of a text, 0 for all else. */
export function characters(value: unknown): number {
  return typeof value === 'string' ? value.length : 0;
}
