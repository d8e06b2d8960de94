/** Below zero when `a` comes first, above when `b` does, zero when they are equal. */
export function compare(a, b) {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The newest of a list. */
export function newest(versions) {
  return [...versions].sort(compare).at(-1);
}
