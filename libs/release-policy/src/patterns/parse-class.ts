import { PatternError, type Taken } from './pattern-tree';

interface Read {
  readonly takes: Taken;
  /** Index after what was read. */
  readonly end: number;
}

const DIGIT: Taken = (unit) => /^[0-9]$/.test(unit);
const WORD: Taken = (unit) => /^[A-Za-z0-9_]$/.test(unit);

/** What follows a backslash at `start`: `\d`, `\w`, or a sign that stands for itself. */
export function parseEscape(text: string, start: number, end: number): Read {
  const named = start + 1 < end ? (text[start + 1] ?? '') : '';
  if (named === 'd') return { takes: DIGIT, end: start + 2 };
  if (named === 'w') return { takes: WORD, end: start + 2 };
  if (!/^[!-/:-@[-`{-~]$/.test(named)) {
    throw new PatternError(`expected \\d, \\w or a sign after the backslash, found ${JSON.stringify(named)}`);
  }
  return { takes: (unit) => unit === named, end: start + 2 };
}

/** A class `[…]` at `start`: signs, ranges and escapes, or with `^` all others. */
export function parseClass(text: string, start: number, end: number): Read {
  const unclosed = () => new PatternError('expected a pattern whose brackets are closed');
  const negated = text[start + 1] === '^';
  const members: Taken[] = [];
  let at = start + (negated ? 2 : 1);
  while (text[at] !== ']') {
    if (at >= end) throw unclosed();
    const member = parseMember(text, at, end);
    members.push(member.takes);
    at = member.end;
  }
  if (at >= end) throw unclosed();
  if (members.length === 0) throw new PatternError('expected a class with something in it');
  const takes = (unit: string) => members.some((member) => member(unit)) !== negated;
  return { takes, end: at + 1 };
}

function parseMember(text: string, at: number, end: number): Read {
  const first = text[at] ?? '';
  if (first === '[') throw new PatternError('expected \\[ for a bracket inside a class');
  if (first === '\\') return parseEscape(text, at, end);
  const last = text[at + 2] ?? ']';
  if (text[at + 1] !== '-' || last === ']') return { takes: (unit) => unit === first, end: at + 1 };
  if (last === '\\' || last === '[' || last < first) {
    throw new PatternError(`expected a range from low to high, found ${first}-${last}`);
  }
  return { takes: (unit) => unit >= first && unit <= last, end: at + 3 };
}
