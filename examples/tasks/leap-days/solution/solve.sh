#!/bin/bash
set -euo pipefail
cd "${APP_DIR:-/app}"
cat > src/days.mjs <<'EOF'
const LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Days from one ISO date to another; negative backwards. */
export function daysBetween(from, to) {
  return dayNumber(to) - dayNumber(from);
}

function dayNumber(iso) {
  const [year, month, day] = iso.split('-').map(Number);
  const months = LENGTHS.slice(0, month - 1).reduce((sum, length) => sum + length, 0);
  const before = year - 1;
  const leapYears = Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400);
  const leapDay = month > 2 && isLeap(year) ? 1 : 0;
  return year * 365 + leapYears + months + leapDay + day;
}

function isLeap(year) {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}
EOF
