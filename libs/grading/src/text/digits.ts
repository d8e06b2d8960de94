const DIGIT = /^\p{Nd}$/u;

/** Value of a Unicode decimal digit: digits lie in runs of ten from zero up, so its place in its run tells it. */
function digitValue(digit: string): number {
  let code = digit.codePointAt(0) ?? 0;
  let before = 0;
  while (code > 0 && DIGIT.test(String.fromCodePoint(code - 1))) {
    code -= 1;
    before += 1;
  }
  return before % 10;
}

/** Digits beyond which Python's `int()` refuses a text with a ValueError (sys.int_info.default_max_str_digits). */
export const MOST_DIGITS = 4300;

/** True when a text of Unicode decimal digits stands for zero. */
export function isZero(digits: string): boolean {
  for (const digit of digits) {
    if (digit !== '0' && digitValue(digit) !== 0) return false;
  }
  return true;
}

/**
 * Python's `re.search(r"[1-9]\d*" + after, text)` for a fixed text `after`, without its quadratic cost on long runs of
 * digits: some 1 to 9 stands in the run of digits that ends where `after` starts.
 */
export function positiveNumberBefore(text: string, after: RegExp): boolean {
  for (const match of text.matchAll(after)) {
    for (let at = match.index - 1; at >= 0; at -= 1) {
      const code = text.charCodeAt(at);
      if (code >= 0x31 && code <= 0x39) return true;
      if (code === 0x30) continue;
      // Digits of other scripts count for \d but not for [1-9]; some of them are surrogate pairs.
      if (code >= 0xdc00 && code <= 0xdfff && at > 0 && DIGIT.test(text.slice(at - 1, at + 1))) at -= 1;
      else if (!DIGIT.test(text.charAt(at))) break;
    }
  }
  return false;
}
