/**
 * White space as Python's `str` sees it (`str.split()`, `str.strip()`, `\s` in `re`): the controls 0x1c to 0x1f and
 * 0x85 belong to it, U+FEFF does not. JavaScript's `\s` differs in exactly these.
 */
export const SPACE_CLASS = '[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';

/** True for a UTF-16 code unit that Python counts as white space. */
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

/** Python's `str.strip()`. */
export function strip(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text.charCodeAt(start))) start += 1;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** The first two of Python's `str.split()`; as many as there are. Reads no further than it must. */
export function firstWords(text: string): string[] {
  const words: string[] = [];
  let at = 0;
  while (words.length < 2) {
    while (at < text.length && isSpace(text.charCodeAt(at))) at += 1;
    if (at === text.length) break;
    const start = at;
    while (at < text.length && !isSpace(text.charCodeAt(at))) at += 1;
    words.push(text.slice(start, at));
  }
  return words;
}

/** Parts that are joined at once, so that a long line of many words costs no array of them. */
const MOST_PARTS = 4096;

/** Python's `' '.join(text.split())`. */
export function singleSpaced(text: string): string {
  const stripped = strip(text);
  const joined: string[] = [];
  let parts: string[] = [];
  let from = 0;
  for (let at = 0; at < stripped.length; at += 1) {
    if (!isSpace(stripped.charCodeAt(at))) continue;
    let end = at + 1;
    while (isSpace(stripped.charCodeAt(end))) end += 1;
    if (end > at + 1 || stripped[at] !== ' ') {
      parts.push(stripped.slice(from, at));
      from = end;
      at = end - 1;
    }
    if (parts.length < MOST_PARTS) continue;
    joined.push(parts.join(' '));
    parts = [];
  }
  return from === 0 ? stripped : [...joined, ...parts, stripped.slice(from)].join(' ');
}
