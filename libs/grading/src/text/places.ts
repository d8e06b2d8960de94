/** Answers, for rising positions, where `sought` next stands at or behind one; Infinity where it does not. */
export function placesBehind(text: string, sought: string): (at: number) => number {
  let found = -1;
  return (at) => {
    if (found < at) {
      const next = text.indexOf(sought, at);
      found = next === -1 ? Infinity : next;
    }
    return found;
  };
}

/** True when `test` holds for start and end of a place where `sought` stands; asked in order, no further than need be. */
export function somewhere(text: string, sought: string, test: (from: number, to: number) => boolean): boolean {
  for (let at = text.indexOf(sought); at !== -1; at = text.indexOf(sought, at + 1)) {
    if (test(at, at + sought.length)) return true;
  }
  return false;
}
