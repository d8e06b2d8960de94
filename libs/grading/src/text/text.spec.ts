import { digitsEnd, digitValue, isZero, positiveNumberBefore, positiveNumberEnd } from './digits';
import { eachLine, endsLine, lineStart, universalNewlines } from './lines';
import { Pieces } from './pieces';
import { placesBehind, somewhere } from './places';
import { firstWords, isSpace, singleSpaced, strip } from './python-space';

describe('white space is what Python’s str says', () => {
  // `''.join(chr(c) for c in range(0x10000) if chr(c).isspace())` of Python 3.11.
  const PYTHON = [
    9, 10, 11, 12, 13, 28, 29, 30, 31, 32, 133, 160, 5760, 8192, 8193, 8194, 8195, 8196, 8197, 8198, 8199, 8200, 8201,
    8202, 8232, 8233, 8239, 8287, 12288,
  ];

  test('for every code unit', () => {
    const found = Array.from({ length: 0x10000 }, (_, code) => code).filter(isSpace);
    expect(found).toEqual(PYTHON);
  });

  test('a byte order mark is not stripped, an information separator is', () => {
    expect(strip('\x1c\u3000\ufeffa b\x85\n')).toBe('\ufeffa b');
    expect(strip(' \t ')).toBe('');
  });

  test('the first two words are taken, or as many as there are', () => {
    expect(firstWords('  a\u2028b c ')).toEqual(['a', 'b']);
    expect(firstWords(' a ')).toEqual(['a']);
    expect(firstWords('\x1f')).toEqual([]);
  });

  test('runs of white space become one space', () => {
    expect(singleSpaced(' a  b\tc\u00a0d e ')).toBe('a b c d e');
    expect(singleSpaced('a b')).toBe('a b');
    const many = Array.from({ length: 10_000 }, (_, index) => String(index));
    expect(singleSpaced(many.join('\t'))).toBe(many.join(' '));
  });
});

describe('lines', () => {
  const linesOf = (text: string): string[] => {
    const lines: string[] = [];
    eachLine(text, (start, end) => lines.push(text.slice(start, end)));
    return lines;
  };

  test.each([
    '',
    '\n',
    'a',
    'a\nb',
    'a\n\nb\n',
    '\r\u2028\n',
    `${'x'.repeat(39)}\n${'y'.repeat(40)}\n${'z'.repeat(41)}\nz`,
  ])('%j is cut as by split, without what is empty', (text) => {
    expect(linesOf(text)).toEqual(text.split('\n').filter((line) => line !== ''));
  });

  test('every kind of line end becomes \\n, pairs as one, across the pieces too', () => {
    expect(universalNewlines('a\r\nb\rc\r\r\nd\n')).toBe('a\nb\nc\n\nd\n');
    expect(universalNewlines('\r\n\r\r\n…\r')).toBe('\n\n\n…\n');
    for (const letter of ['x', '…']) {
      for (let length = 65_530; length < 65_540; length += 1) {
        const line = letter.repeat(length);
        expect(universalNewlines(`${line}\r\ny\r`)).toBe(`${line}\ny\n`);
      }
    }
  });

  test('a line ends at \\n and at the end of the text', () => {
    expect([endsLine('a\nb', 1), endsLine('a\nb', 3), endsLine('a\rb', 1)]).toEqual([true, true, false]);
  });

  test('a line starts after the \\n before it, and a \\n belongs to the line that it ends', () => {
    expect([lineStart('ab\ncd', 0), lineStart('ab\ncd', 2), lineStart('ab\ncd', 4), lineStart('\na', 0)]).toEqual([
      0, 0, 3, 0,
    ]);
  });
});

test('of many pieces a text is built, in order', () => {
  const pieces = new Pieces(',');
  for (let index = 0; index < 10_000; index += 1) pieces.push(String(index));
  expect(pieces.toString()).toBe(Array.from({ length: 10_000 }, (_, index) => index).join(','));
});

describe('places of a text', () => {
  test('are found at or behind rising positions', () => {
    const next = placesBehind('a-b-', '-');
    expect([0, 1, 2, 2, 3, 4].map(next)).toEqual([1, 1, 3, 3, 3, Infinity]);
    expect(placesBehind('', '-')(0)).toBe(Infinity);
  });

  test('are tried in order until one fits', () => {
    const tried: [number, number][] = [];
    const found = somewhere('aaa', 'aa', (from, to) => {
      tried.push([from, to]);
      return from === 1;
    });
    expect([found, tried]).toEqual([
      true,
      [
        [0, 2],
        [1, 3],
      ],
    ]);
    expect(somewhere('aaa', 'b', () => true)).toBe(false);
  });
});

describe('digits', () => {
  // `sum(unicodedata.category(chr(c)) == 'Nd' for c in range(0x110000))` of Python 3.11 is 660.
  test('are those of Unicode 14, each with its value', () => {
    const values = Array.from({ length: 0x110000 }, (_, code) => digitValue(code));
    expect(values.filter((value) => value !== -1)).toHaveLength(660);
    expect(values.every((value, code) => value === -1 || /\p{Nd}/u.test(String.fromCodePoint(code)))).toBe(true);
    expect(['0', '9', '٣', '𝟗'].map((digit) => digitValue(digit.codePointAt(0)!))).toEqual([0, 9, 3, 9]);
  });

  test('a run of them ends where another character stands', () => {
    expect([digitsEnd('1٣𝟎x', 0), digitsEnd('x1', 0), digitsEnd('12', 1), digitsEnd('', 0)]).toEqual([4, 0, 2, 0]);
    expect([positiveNumberEnd('10x', 0), positiveNumberEnd('01', 0)]).toEqual([2, Infinity]);
  });

  test('zero may be written in any script', () => {
    expect(['0', '000', '٠', '𝟎', '𝟘0'].map(isZero)).toEqual([true, true, true, true, true]);
    expect(['1', '01', '٣', '𝟙', '𝟗'].map(isZero)).toEqual([false, false, false, false, false]);
  });

  test('a positive number before a text has a digit from 1 to 9, and perhaps others after it', () => {
    const before = (text: string): boolean => positiveNumberBefore(text, text.indexOf(' passing'));
    expect(['3 passing', '10 passing', '1٠ passing', '1𝟎 passing', 'x007 passing'].map(before)).not.toContain(false);
    expect(
      ['0 passing', 'passing', 'x passing', '٣ passing', '𝟙 passing', '3  passing', '1\udfce passing'].map(before),
    ).not.toContain(true);
  });
});
