import { Pieces } from './pieces';

/**
 * True for a UTF-16 code unit that is white space to Python's `str` (`str.split()`, `str.strip()`, `\s` in `re`): the
 * controls 0x1c to 0x1f and 0x85 belong to it, U+FEFF does not. JavaScript's `\s` differs in exactly these.
 */
export function isSpace(code: number): boolean {
  if (code <= 0x20) return code === 0x20 || (code >= 0x09 && code <= 0x0d) || (code >= 0x1c && code <= 0x1f);
  if (code < 0x1680) return code === 0x85 || code === 0xa0;
  return (
    code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000
  );
}

/** Where the white space that starts at `at` ends (no further than `bound`): `at` itself where there is none. */
export function spacesEnd(text: string, at: number, bound = text.length): number {
  let end = at;
  while (end < bound && isSpace(text.charCodeAt(end))) end += 1;
  return end;
}

/** Where the text without the white space at its end ends; no less than `from`. */
export function stripEnd(text: string, from: number, bound = text.length): number {
  let end = bound;
  while (end > from && isSpace(text.charCodeAt(end - 1))) end -= 1;
  return end;
}

/** Python's `str.strip()`. */
export function strip(text: string): string {
  const start = spacesEnd(text, 0);
  return text.slice(start, stripEnd(text, start));
}

/** The first two of Python's `str.split()`; as many as there are. Reads no further than it must. */
export function firstWords(text: string): string[] {
  const words: string[] = [];
  let at = 0;
  while (words.length < 2) {
    const start = spacesEnd(text, at);
    if (start === text.length) break;
    at = start + 1;
    while (at < text.length && !isSpace(text.charCodeAt(at))) at += 1;
    words.push(text.slice(start, at));
  }
  return words;
}

/** Python's `' '.join(text.split())`. */
export function singleSpaced(text: string): string {
  const stripped = strip(text);
  const words = new Pieces(' ');
  let from = 0;
  for (let at = 0; at < stripped.length; at += 1) {
    if (!isSpace(stripped.charCodeAt(at))) continue;
    const end = spacesEnd(stripped, at);
    if (end > at + 1 || stripped[at] !== ' ') {
      words.push(stripped.slice(from, at));
      from = end;
    }
    at = end - 1;
  }
  if (from === 0) return stripped;
  words.push(stripped.slice(from));
  return words.toString();
}
