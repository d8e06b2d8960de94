const LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Days from one ISO date to another. */
export function daysBetween(from, to) {
  return dayNumber(to) - dayNumber(from);
}

function dayNumber(iso) {
  const [year, month, day] = iso.split('-').map(Number);
  const months = LENGTHS.slice(0, month - 1).reduce((sum, length) => sum + length, 0);
  return year * 365 + months + day;
}
