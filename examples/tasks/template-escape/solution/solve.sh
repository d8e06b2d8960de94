#!/bin/bash
set -euo pipefail
cd "${APP_DIR:-/app}"
cat > src/template.mjs <<'EOF'
const ESCAPES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Fills the names between double braces with their escaped values; between three braces, with the values as they are. */
export function render(template, values) {
  return template.replace(/\{\{\{(\w+)\}\}\}|\{\{(\w+)\}\}/g, (_, raw, name) =>
    raw === undefined ? escaped(values[name]) : String(values[raw] ?? ''),
  );
}

function escaped(value) {
  return String(value ?? '').replace(/[&<>"']/g, (char) => ESCAPES[char]);
}
EOF
