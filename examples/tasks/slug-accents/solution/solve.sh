#!/bin/bash
set -euo pipefail
cd "${APP_DIR:-/app}"
cat > src/slug.mjs <<'EOF'
const SPELLED = { ß: 'ss', æ: 'ae', ø: 'o' };

/** A title as a part of a URL. */
export function slugify(title) {
  const plain = title
    .toLowerCase()
    .replace(/[ßæø]/g, (letter) => SPELLED[letter])
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return plain === '' ? 'untitled' : plain;
}
EOF
