import { selectionInvalid } from './selection-invalid';

/**
 * Python's `re.match` as a predicate: the pattern must match at the beginning of the text, not up to its end. What Python
 * and JavaScript write differently is rewritten (`(?P<name>…)`, `(?P=name)`, `\A`, `\Z`, escaped punctuation, a leading
 * `(?i)`, `(?s)`, `(?m)`); what then is no JavaScript expression (flag u) is refused, never guessed at.
 * @throws TaskError `selection_invalid`
 */
export function pythonMatch(pattern: string): (text: string) => boolean {
  const expression = compiled(pattern);
  return (text) => {
    // Sticky: it matches at lastIndex or not at all.
    expression.lastIndex = 0;
    return expression.test(text);
  };
}

function compiled(pattern: string): RegExp {
  const [, flags = '', body = ''] = /^(?:\(\?([ims]+)\))?([\s\S]*)$/.exec(pattern) ?? [];
  try {
    return new RegExp(rewritten(body), `yu${[...new Set(flags)].join('')}`);
  } catch (cause) {
    throw selectionInvalid('filter', pattern, 'expected a regular expression', cause);
  }
}

/** Escapes and opening groups one by one; all else stays. */
function rewritten(body: string): string {
  let inClass = false;
  return body.replace(/\\([\s\S])|\(\?P<|\(\?P=(\w+)\)|[[\]]/g, (token, escaped?: string, name?: string) => {
    if (token === '[') inClass = true;
    else if (token === ']') inClass = false;
    else if (inClass) return escaped === undefined ? token : inClassEscape(escaped);
    else if (token === '(?P<') return '(?<';
    else if (name !== undefined) return `\\k<${name}>`;
    else if (escaped !== undefined) return outsideEscape(escaped);
    return token;
  });
}

function outsideEscape(escaped: string): string {
  if (escaped === 'A') return '(?<![\\s\\S])';
  if (escaped === 'Z') return '(?![\\s\\S])';
  // Python lets every ASCII mark be escaped; with flag u JavaScript lets only its own.
  return /[-_!"#%&',:;<=>@`~ ]/.test(escaped) ? escaped : `\\${escaped}`;
}

function inClassEscape(escaped: string): string {
  return /[_!"#%&',:;<=>@`~ ]/.test(escaped) ? escaped : `\\${escaped}`;
}
