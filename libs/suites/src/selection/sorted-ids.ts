/**
 * The ids sorted as Python's `sorted` and the official reports sort them: by code points, whatever the locale. A new list.
 */
export function sortedIds<T extends string>(ids: Iterable<T>): T[] {
  return [...ids].sort(byCodePoint);
}

/** UTF-8 keeps the order of code points; JavaScript's own order of UTF-16 units does not. */
function byCodePoint(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
