import { parseClass, parseEscape } from './parse-class';
import { PatternError, type PatternTree } from './pattern-tree';

const MAX_LENGTH = 200;
const MAX_REPEAT = 100;

/**
 * An anchored pattern, `^…$`. The language is a part of JavaScript's regular expressions, with their meaning: literals,
 * `.`, classes `[a-z]`, `\d` and `\w`, escaped signs, groups, `|` inside a group, and `? * + {n} {n,} {n,m}`.
 * Look-arounds, back references, lazy repeats and flags are no part of it, so that a match takes linear time.
 * @throws PatternError if the text is no such pattern
 */
export function parsePattern(text: string): PatternTree {
  if (text.length > MAX_LENGTH) throw new PatternError(`expected a pattern of at most ${MAX_LENGTH} characters`);
  if (!text.startsWith('^') || !/(?:^|[^\\])(?:\\\\)*\$$/.test(text)) {
    throw new PatternError('expected a pattern that is anchored at both ends: ^ first, $ last');
  }
  const parser = new Parser(text, 1, text.length - 1);
  const tree = parser.sequence();
  if (parser.peek() === '|') {
    throw new PatternError('expected a pattern that is anchored at both ends: put alternatives in parentheses');
  }
  if (parser.peek() !== undefined) throw parser.unexpected();
  return tree;
}

class Parser {
  constructor(
    private readonly text: string,
    private at: number,
    private readonly end: number,
  ) {}

  peek(): string | undefined {
    return this.at < this.end ? this.text[this.at] : undefined;
  }

  unexpected(): PatternError {
    return new PatternError(
      `expected a pattern, found ${JSON.stringify(this.text[this.at])} at character ${this.at + 1}`,
    );
  }

  /** Everything up to `|`, `)` or the end. */
  sequence(): PatternTree {
    const parts: PatternTree[] = [];
    for (let next = this.peek(); next !== undefined && next !== '|' && next !== ')'; next = this.peek()) {
      parts.push(this.repeated(this.atom(next)));
    }
    return { kind: 'sequence', parts };
  }

  private atom(next: string): PatternTree {
    switch (next) {
      case '(':
        return this.group();
      case '[': {
        const { takes, end } = parseClass(this.text, this.at, this.end);
        this.at = end;
        return { kind: 'one', takes };
      }
      case '\\': {
        const { takes, end } = parseEscape(this.text, this.at, this.end);
        this.at = end;
        return { kind: 'one', takes };
      }
      case '.':
        this.at += 1;
        return { kind: 'one', takes: (unit) => !/[\n\r\u2028\u2029]/.test(unit) };
      case '^':
      case '$':
      case '*':
      case '+':
      case '?':
      case '{':
      case '}':
      case ']':
        throw this.unexpected();
      default:
        this.at += 1;
        return { kind: 'one', takes: (unit) => unit === next };
    }
  }

  private group(): PatternTree {
    this.at += this.text.startsWith('(?:', this.at) ? 3 : 1;
    if (this.peek() === '?') throw new PatternError('expected a pattern without look-arounds and named groups');
    const options = [this.sequence()];
    while (this.peek() === '|') {
      this.at += 1;
      options.push(this.sequence());
    }
    if (this.peek() !== ')') throw new PatternError('expected a pattern whose parentheses are closed');
    this.at += 1;
    return { kind: 'choice', options };
  }

  private repeated(of: PatternTree): PatternTree {
    const written = /^(?:[?*+]|\{(\d{1,3})(,(\d{0,3}))?\})/.exec(this.text.slice(this.at, this.end));
    if (written === null) {
      if (this.peek() === '{') throw this.unexpected();
      return of;
    }
    this.at += written[0].length;
    const { min, max } = bounds(written);
    if (max < min || min > MAX_REPEAT || (max !== Infinity && max > MAX_REPEAT)) {
      throw new PatternError(`expected repeats from low to high, of at most ${MAX_REPEAT}, found ${written[0]}`);
    }
    if (/[?*+{]/.test(this.peek() ?? '')) throw this.unexpected();
    return { kind: 'repeat', of, min, max };
  }
}

function bounds([sign, low, range, high]: RegExpExecArray): { min: number; max: number } {
  if (low === undefined) return { min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Infinity };
  const min = Number(low);
  if (range === undefined) return { min, max: min };
  return { min, max: high === undefined || high === '' ? Infinity : Number(high) };
}
