#!/bin/bash
set -euo pipefail
cd "${APP_DIR:-/app}"
cat > src/intervals.mjs <<'EOF'
/** Merges [start, end] pairs that overlap or touch; the result is sorted. */
export function merge(intervals) {
  const merged = [];
  for (const [start, end] of [...intervals].sort(([a], [b]) => a - b)) {
    const last = merged.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}

/** The length that a list of intervals covers. */
export function covered(intervals) {
  return merge(intervals).reduce((sum, [start, end]) => sum + end - start, 0);
}
EOF
