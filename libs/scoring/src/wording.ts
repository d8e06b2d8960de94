/** `1 instance`, `2 instances`. */
export function counted(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}

/** At most five names, then how many more there are. */
export function someOf(names: readonly string[]): string {
  const more = names.length - 5;
  return more > 0 ? `${names.slice(0, 5).join(', ')} and ${more} more` : names.join(', ');
}
