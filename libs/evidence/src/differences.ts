/** A place where two values differ. */
export interface Difference {
  /** `counts.resolved`, `reasons.0.code`. */
  readonly field: string;
  /** Both as JSON; `nothing` where there is none. */
  readonly first: string;
  readonly second: string;
}

/** Every place of `first` at which `second` has something else. Places that only `second` has are not asked about. */
export function differences(first: unknown, second: unknown, field = ''): Difference[] {
  if (!isHolder(first) || !isHolder(second)) {
    return Object.is(first, second) ? [] : [{ field, first: textOf(first), second: textOf(second) }];
  }
  // Of lists every place counts, or one that grew would pass.
  const keys = new Set([...Object.keys(first), ...(Array.isArray(first) ? Object.keys(second) : [])]);
  return [...keys].flatMap((key) => differences(first[key], second[key], field === '' ? key : `${field}.${key}`));
}

function isHolder(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function textOf(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}
