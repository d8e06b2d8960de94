/** The body of a check that a text column holds one of `values`. */
export function oneOf(column: string, values: readonly string[]): string {
  return `${column} in (${values.map((value) => `'${value}'`).join(',')})`;
}
