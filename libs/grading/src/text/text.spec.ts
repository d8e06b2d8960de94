import { isZero, positiveNumberBefore } from './digits';
import { eachLine, endsLine, lineStart, universalNewlines } from './lines';
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

  test.each(['', '\n', 'a', 'a\nb', 'a\n\nb\n', '\r\u2028\n'])('%j is cut as by split', (text) => {
    expect(linesOf(text)).toEqual(text.split('\n'));
  });

  test('every kind of line end becomes \\n, pairs as one, across the pieces too', () => {
    expect(universalNewlines('a\r\nb\rc\r\r\nd\n')).toBe('a\nb\nc\n\nd\n');
    for (let length = 8_185; length < 8_200; length += 1) {
      expect(universalNewlines(`${'x'.repeat(length)}\r\ny`)).toBe(`${'x'.repeat(length)}\ny`);
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

describe('digits', () => {
  test('zero may be written in any script', () => {
    expect(['0', '000', '٠', '𝟎', '𝟘0'].map(isZero)).toEqual([true, true, true, true, true]);
    expect(['1', '01', '٣', '𝟙', '𝟗'].map(isZero)).toEqual([false, false, false, false, false]);
  });

  test('a positive number before a text has a digit from 1 to 9, and perhaps others after it', () => {
    const before = (text: string): boolean => positiveNumberBefore(text, / passing/g);
    expect(['3 passing', '10 passing', '1٠ passing', '1𝟎 passing', 'x007 passing'].map(before)).not.toContain(false);
    expect(['0 passing', 'passing', 'x passing', '٣ passing', '𝟙 passing', '3  passing'].map(before)).not.toContain(
      true,
    );
  });
});
