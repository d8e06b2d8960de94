const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Most lines end within so many characters: looking at these one by one is cheaper than calling `indexOf`. */
const NEAR = 40;

/**
 * Calls `visit` with start and end of every line of Python's `text.split("\n")` that is not empty: an empty one says
 * nothing to any parser. No line is copied.
 */
export function eachLine(text: string, visit: (start: number, end: number) => void): void {
  let start = 0;
  while (start < text.length) {
    if (text.charCodeAt(start) === LINE_FEED) {
      start += 1;
      continue;
    }
    const end = lineEnd(text, start);
    visit(start, end);
    start = end + 1;
  }
}

/** End of the line that position `at` lies in: the place of its `\n`, else the end of the text. */
export function lineEnd(text: string, at: number): number {
  const near = Math.min(at + NEAR, text.length);
  for (let index = at; index < near; index += 1) {
    if (text.charCodeAt(index) === LINE_FEED) return index;
  }
  const end = text.indexOf('\n', near);
  return end === -1 ? text.length : end;
}

/** Start of the line that position `at` lies in; a `\n` belongs to the line that it ends. */
export function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
}

/** True where Python's `$` with re.MULTILINE holds: at the end of the text or just before `\n`. */
export function endsLine(text: string, at: number): boolean {
  return at === text.length || text[at] === '\n';
}

/** Text is rewritten in pieces of so many characters, so that there is never more than one copy of the whole. */
const PIECE = 1 << 16;

/** What Python's text mode does to a file that it reads: `\r\n` and a lone `\r` become `\n`. */
export function universalNewlines(text: string): string {
  if (!text.includes('\r')) return text;
  const pieces: string[] = [];
  for (let start = 0; start < text.length;) {
    let end = Math.min(start + PIECE, text.length);
    // A pair is never cut in two.
    if (text[end - 1] === '\r' && text[end] === '\n') end += 1;
    const piece = text.slice(start, end);
    pieces.push(piece.includes('\r') ? withLineFeeds(piece) : piece);
    start = end;
  }
  return pieces.join('');
}

const WIDE = /[^\x00-\xff]/;

/** Works on the bytes: where every second character is a line end, an expression costs ten times as much. */
function withLineFeeds(piece: string): string {
  if (!WIDE.test(piece)) {
    const bytes = Buffer.from(piece, 'latin1');
    return bytes.toString('latin1', 0, joinLineEnds(bytes));
  }
  const units = new Uint16Array(piece.length);
  const bytes = Buffer.from(units.buffer);
  bytes.write(piece, 'utf16le');
  return bytes.toString('utf16le', 0, 2 * joinLineEnds(units));
}

/** Replaces the line ends in place. Returns the number of units that are left. */
function joinLineEnds(units: Uint8Array | Uint16Array): number {
  let length = 0;
  let afterReturn = false;
  for (const unit of units) {
    const inPair = afterReturn && unit === LINE_FEED;
    afterReturn = unit === CARRIAGE_RETURN;
    if (inPair) continue;
    units[length] = afterReturn ? LINE_FEED : unit;
    length += 1;
  }
  return length;
}
