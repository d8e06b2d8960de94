import { selectionInvalid } from './selection-invalid';

/**
 * The part of a list that Python's `items[start:stop:step]` has, for the text `start:stop:step`; each may be left out and
 * negative, and `5` alone means `:5` (mini-swe-agent and SWE-agent hand the parts to `slice()`).
 * @throws TaskError `selection_invalid`
 */
export function pythonSlice<T>(items: readonly T[], spec: string): T[] {
  const parts = spec.split(':').map((part) => numberOf(part, spec));
  if (parts.length > 3) throw invalid(spec);
  const [start, stop, step] = parts.length === 1 ? [null, parts[0] ?? null, null] : parts;
  const by = step ?? 1;
  if (by === 0) throw selectionInvalid('slice', spec, 'expected a step other than 0');

  const [lowest, highest] = by > 0 ? [0, items.length] : [-1, items.length - 1];
  const bound = (value: number | null | undefined, otherwise: number) => {
    if (value === null || value === undefined) return otherwise;
    return Math.min(Math.max(value < 0 ? value + items.length : value, lowest), highest);
  };
  const first = bound(start, by > 0 ? lowest : highest);
  const end = bound(stop, by > 0 ? highest : lowest);
  const taken: T[] = [];
  for (let at = first; by > 0 ? at < end : at > end; at += by) taken.push(...items.slice(at, at + 1));
  return taken;
}

function numberOf(part: string, spec: string): number | null {
  if (part === '') return null;
  if (!/^\s*[+-]?\d+\s*$/.test(part)) throw invalid(spec);
  return Number(part);
}

function invalid(spec: string) {
  return selectionInvalid(
    'slice',
    spec,
    'expected stop, start:stop or start:stop:step, each a whole number or left out',
  );
}
