/** Merges [start, end] pairs. */
export function merge(intervals) {
  const merged = [];
  for (const [start, end] of intervals) {
    const last = merged.at(-1);
    if (last !== undefined && start < last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}

/** The length that a list of intervals covers. */
export function covered(intervals) {
  return merge(intervals).reduce((sum, [start, end]) => sum + end - start, 0);
}
