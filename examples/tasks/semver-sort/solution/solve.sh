#!/bin/bash
set -euo pipefail
cd "${APP_DIR:-/app}"
cat > src/versions.mjs <<'EOF'
/** Below zero when `a` comes first, above when `b` does, zero when they are equal. */
export function compare(a, b) {
  const [left, right] = [parts(a), parts(b)];
  for (let at = 0; at < 3; at += 1) {
    if (left.core[at] !== right.core[at]) return left.core[at] - right.core[at];
  }
  if (left.pre.length === 0 || right.pre.length === 0) return right.pre.length - left.pre.length;
  for (let at = 0; at < Math.max(left.pre.length, right.pre.length); at += 1) {
    const order = comparePart(left.pre[at], right.pre[at]);
    if (order !== 0) return order;
  }
  return 0;
}

function parts(version) {
  const [, core, pre] = /^v?([^-]*)(?:-(.*))?$/.exec(version);
  return { core: core.split('.').map(Number), pre: pre === undefined ? [] : pre.split('.') };
}

function comparePart(a, b) {
  if (a === b) return 0;
  if (a === undefined) return -1;
  if (b === undefined) return 1;
  const [na, nb] = [a, b].map((part) => /^\d+$/.test(part));
  if (na && nb) return Number(a) - Number(b);
  if (na !== nb) return na ? -1 : 1;
  return a < b ? -1 : 1;
}

/** The newest of a list. */
export function newest(versions) {
  return [...versions].sort(compare).at(-1);
}
EOF
