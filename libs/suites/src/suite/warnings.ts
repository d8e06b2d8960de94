/**
 * Warnings of many instances, each sentence once with the instances that it concerns: `key: … (a, b and 3 more)`.
 */
export function groupedWarnings(all: readonly (readonly [id: string, warnings: readonly string[]])[]): string[] {
  const ids = new Map<string, string[]>();
  for (const [id, warnings] of all) {
    for (const warning of new Set(warnings)) ids.set(warning, [...(ids.get(warning) ?? []), id]);
  }
  return [...ids].map(([warning, concerned]) => `${warning} (${namedIds(concerned)})`);
}

/** `a, b, c and 3 more`. */
export function namedIds(ids: readonly string[]): string {
  const shown = ids.slice(0, 3).join(', ');
  return ids.length > 3 ? `${shown} and ${ids.length - 3} more` : shown;
}
