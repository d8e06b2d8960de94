/**
 * Zeros of the scripts that have decimal digits; the others follow each in order. This is `\d` of Python's `re` with
 * Unicode 14 (Python 3.11), written down so that a verdict does not depend on the Unicode version of Node. Scanned by
 * hand, too: on a run of millions of digits an expression with `\p{Nd}+` overflows its stack.
 */
const ZEROS = [
  0x30, 0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0, 0xf20,
  0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0,
  0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10, 0x104a0, 0x10d30, 0x11066, 0x110f0, 0x11136, 0x111d0, 0x112f0,
  0x11450, 0x114d0, 0x11650, 0x116c0, 0x11730, 0x118e0, 0x11950, 0x11c50, 0x11d50, 0x11da0, 0x16a60, 0x16ac0, 0x16b50,
  0x1d7ce, 0x1d7d8, 0x1d7e2, 0x1d7ec, 0x1d7f6, 0x1e140, 0x1e2f0, 0x1e950, 0x1fbf0,
];

/** By code point: the digit's value, or -1. */
const VALUES = new Int8Array(0x20000).fill(-1);
for (const zero of ZEROS) {
  for (let value = 0; value < 10; value += 1) VALUES[zero + value] = value;
}

/** Value of the decimal digit with this code point; -1 where it is none. */
export function digitValue(codePoint: number): number {
  return VALUES[codePoint] ?? -1;
}

/** Where the run of decimal digits that starts at `at` ends; `at` itself where there is none. */
export function digitsEnd(text: string, at: number): number {
  let end = at;
  for (;;) {
    const codePoint = text.codePointAt(end);
    if (codePoint === undefined || digitValue(codePoint) === -1) return end;
    end += codePoint > 0xffff ? 2 : 1;
  }
}

/** Digits beyond which Python's `int()` refuses a text with a ValueError (sys.int_info.default_max_str_digits). */
export const MOST_DIGITS = 4300;

/** True when a text of decimal digits stands for zero. */
export function isZero(digits: string): boolean {
  for (const digit of digits) {
    if (digitValue(digit.codePointAt(0) ?? 0) !== 0) return false;
  }
  return true;
}

/** True for one of 1 to 9 in ASCII (`[1-9]`) at `at`. */
export function isOneToNine(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x31 && code <= 0x39;
}

/** Where the match of `[1-9]\d*` that starts at `at` ends; Infinity where there is none. */
export function positiveNumberEnd(text: string, at: number): number {
  return isOneToNine(text, at) ? digitsEnd(text, at + 1) : Infinity;
}

/** True when `[1-9]\d*` matches somewhere so that it ends at `end`: a 1 to 9 stands in the run of digits before it. */
export function positiveNumberBefore(text: string, end: number): boolean {
  let at = end - 1;
  while (at >= 0) {
    if (isOneToNine(text, at)) return true;
    const codePoint = codePointBefore(text, at + 1);
    if (digitValue(codePoint) === -1) return false;
    at -= codePoint > 0xffff ? 2 : 1;
  }
  return false;
}

function codePointBefore(text: string, end: number): number {
  const low = text.charCodeAt(end - 1);
  if (low < 0xdc00 || low > 0xdfff || end < 2) return low;
  const pair = text.codePointAt(end - 2) ?? low;
  return pair > 0xffff ? pair : low;
}
