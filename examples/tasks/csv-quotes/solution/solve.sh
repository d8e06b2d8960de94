#!/bin/bash
set -euo pipefail
cd "${APP_DIR:-/app}"
cat > src/csv.mjs <<'EOF'
/** Splits one line of CSV into its fields. */
export function parseRow(line) {
  const fields = [];
  let field = '';
  let quoted = false;
  for (let at = 0; at < line.length; at += 1) {
    const char = line[at];
    if (quoted && char === '"' && line[at + 1] === '"') {
      field += '"';
      at += 1;
    } else if (char === '"') {
      quoted = !quoted;
    } else if (char === ',' && !quoted) {
      fields.push(field);
      field = '';
    } else {
      field += char;
    }
  }
  return [...fields, field];
}

/** Reads a whole text: the first row names the columns. */
export function parse(text) {
  const [head, ...rows] = text.split(/\r?\n/).filter((line) => line !== '');
  const names = parseRow(head);
  return rows.map((row) => Object.fromEntries(parseRow(row).map((field, index) => [names[index], field])));
}
EOF
