/** One entry of a JSON list, or of an object under its key. */
export interface JsonMember {
  readonly key: string | null;
  readonly value: unknown;
  /** Where it begins, from 1; in an object, where its key stands. */
  readonly line: number;
}

/**
 * The entries of a JSON text, which must be a list or an object, each with its line. Unlike JSON.parse it gives every entry
 * of an object, the repeated keys too.
 * @throws SyntaxError where the text is no JSON; TypeError where it is neither list nor object
 */
export function jsonMembers(text: string): JsonMember[] {
  const whole: unknown = JSON.parse(text);
  if (typeof whole !== 'object' || whole === null) throw new TypeError('neither a list nor an object');

  const members: JsonMember[] = [];
  const lines = new LineCount(text);
  let from = 0;
  let colon: number | null = null;
  for (const { mark, at } of outerMarks(text)) {
    if (mark === 'open') from = at + 1;
    else if (mark === ':') colon = at;
    else if (text.slice(from, at).trim() !== '') {
      const key = colon === null ? null : (JSON.parse(text.slice(from, colon)) as string);
      const value: unknown = JSON.parse(text.slice(colon === null ? from : colon + 1, at));
      members.push({ key, value, line: lines.at(from + text.slice(from, at).search(/\S/)) });
      from = at + 1;
      colon = null;
    }
  }
  return members;
}

interface Mark {
  /** `open` and `close`: the brackets of the whole. */
  readonly mark: 'open' | ',' | ':' | 'close';
  readonly at: number;
}

/** The marks that part the entries of the outermost list or object, in one pass over JSON that is known to be valid. */
function* outerMarks(text: string): Generator<Mark> {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"') {
      at = stringEnd(text, at);
    } else if (character === '[' || character === '{') {
      if (depth === 0) yield { mark: 'open', at };
      depth += 1;
    } else if (character === ']' || character === '}') {
      depth -= 1;
      if (depth === 0) yield { mark: 'close', at };
    } else if (depth === 1 && (character === ',' || character === ':')) {
      yield { mark: character, at };
    }
  }
}

/** The index of the quote that ends the string which begins at `from`. */
function stringEnd(text: string, from: number): number {
  let end = text.indexOf('"', from + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === '\\') backslashes += 1;
  return backslashes % 2 === 1;
}

/** Lines of rising places, counted once. */
class LineCount {
  private line = 1;
  private counted = 0;

  constructor(private readonly text: string) {}

  at(place: number): number {
    let newline = this.text.indexOf('\n', this.counted);
    while (newline !== -1 && newline < place) {
      this.line += 1;
      this.counted = newline + 1;
      newline = this.text.indexOf('\n', this.counted);
    }
    return this.line;
  }
}
