import { Namespace } from '@assay/contracts';
import fc from 'fast-check';
import { blockDigest, blockMarkers, findBlocks, outsideBlocks, replaceBlock } from './index';

const markers = blockMarkers(Namespace.parse('assay'), 'demo');
const { start, end } = markers;
const block = '### Demo\n\n- 4 / 8, not a benchmark score\n';
const legacy = '<!-- qwen-code-benchmark -->';
const put = (text: string, eol = '\n') => [start, ...text.split('\n'), end].join(eol);
const ours = put(block);

describe('where there is no block yet', () => {
  test.each([
    ['no notes', null, ours],
    ['empty notes', '', ours],
    ['notes without a line break at the end', 'Notes', `Notes\n\n${ours}`],
    ['notes that end a line', 'Notes\n', `Notes\n\n${ours}`],
    ['notes that end with a blank line', 'Notes\n\n', `Notes\n\n${ours}`],
    ['notes that end with more', 'Notes\n\n\n', `Notes\n\n\n${ours}`],
    ['trailing spaces, which stay', 'Notes  ', `Notes  \n\n${ours}`],
    ['CRLF notes', 'A\r\nB\r\n', `A\r\nB\r\n\r\n${put(block, '\r\n')}`],
    ['CRLF notes without one at the end', 'A\r\nB', `A\r\nB\r\n\r\n${put(block, '\r\n')}`],
  ])('%s: it is appended with one blank line', (_name, before, after) => {
    expect(replaceBlock(before, block, markers)).toBe(after);
  });
});

describe('where there is one', () => {
  test('it is replaced in its place, and nothing around it changes', () => {
    const before = `Top  \r\n\r\n${put('old', '\r\n')}\r\n\r\nWritten later \t\r\n`;
    expect(replaceBlock(before, block, markers)).toBe(`Top  \r\n\r\n${put(block, '\r\n')}\r\n\r\nWritten later \t\r\n`);
  });

  test('white space that an editor left behind the markers is no reason for a second one', () => {
    const before = `Top\n${start}  \nold\n${end}\t\nBottom`;
    expect(replaceBlock(before, block, markers)).toBe(`Top\n${ours}\t\nBottom`);
  });

  test('it is left alone when only line breaks differ, as after a person saved the notes on the page', () => {
    const saved = `Top\n\n${ours}\n\nBottom`.replaceAll('\n', '\r\n');
    expect(replaceBlock(saved, block, markers)).toBe(saved);
    expect(blockDigest(saved, markers)).toBe(blockDigest(ours, markers));
  });

  test('blocks of another suite, another namespace and other tools are somebody else’s', () => {
    const others = [
      put('other', '\n').replaceAll(':demo:', ':demo-2:'),
      put('other', '\n').replaceAll('assay:', 'assay2:'),
      '<!-- qwen-code-benchmark:start -->\nold\n<!-- qwen-code-benchmark:end -->',
      '<!-- qwen-code-benchmark -->',
    ].join('\n\n');
    expect(replaceBlock(others, block, markers)).toBe(`${others}\n\n${ours}`);
  });

  test('the bodies of a real pipeline keep their own lines', () => {
    const body = 'Benchmark-Qwen-Ref: v0.21.14\r\nBenchmark-Qwen-Ref: v0.21.15   \r\nbenchmark-qwen-ref: v1\r\n';
    const after = replaceBlock(body, block, markers);
    expect(after.startsWith(body)).toBe(true);
    expect(outsideBlocks(after, markers)).toBe(`${body}\r\n`);
  });
});

describe('below the single marker of an older pipeline', () => {
  test.each([
    ['and the text after it stays', `A\n${legacy}\nPeople’s words\n`, `A\n${legacy}\n\n${ours}\nPeople’s words\n`],
    ['in CRLF notes', `A\r\n${legacy} \r\nB\r\n`, `A\r\n${legacy}\r\n\r\n${put(block, '\r\n')} \r\nB\r\n`],
    ['at the end of the notes', `A\n${legacy}`, `A\n${legacy}\n\n${ours}`],
    ['below the first of two', `${legacy}\nA\n${legacy}\nB`, `${legacy}\n\n${ours}\nA\n${legacy}\nB`],
    ['but not in a code fence', `\`\`\`\n${legacy}\n\`\`\`\nB`, `\`\`\`\n${legacy}\n\`\`\`\nB\n\n${ours}`],
    ['nor in a line with other text', `See ${legacy}\nB`, `See ${legacy}\nB\n\n${ours}`],
  ])('a new block is put, %s', (_name, before, after) => {
    expect(replaceBlock(before, block, markers)).toBe(after);
    expect(replaceBlock(after, block, markers)).toBe(after);
  });

  test('a block that stands elsewhere is not moved there', () => {
    const before = `${ours}\nA\n${legacy}\nB`;
    expect(replaceBlock(before, '- new', markers)).toBe(`${put('- new')}\nA\n${legacy}\nB`);
  });

  test('the markers can be others, or none', () => {
    const before = `A\n<!-- scores -->\nB\n${legacy}\nC`;
    const named = blockMarkers(Namespace.parse('assay'), 'demo', ['<!-- scores -->']);
    expect(replaceBlock(before, block, named)).toBe(`A\n<!-- scores -->\n\n${ours}\nB\n${legacy}\nC`);
    const none = blockMarkers(Namespace.parse('assay'), 'demo', []);
    expect(replaceBlock(before, block, none)).toBe(`${before}\n\n${ours}`);
  });
});

describe('where markers are out of order', () => {
  test('two blocks, as after copying the notes: the first is replaced, the second goes, the text between stays', () => {
    expect(replaceBlock(`A\n${put('one')}\nB\n${put('two')}\nC`, block, markers)).toBe(`A\n${ours}\nB\n\nC`);
    expect(blockDigest(`${put('one')}\n${put('two')}`, markers)).toBeNull();
  });

  test.each([
    ['an end before a start', `${end}\nA person’s words\n${start}`],
    ['a start without an end', `Top\n${start}\nold\n\nA person’s words after it`],
    ['an end without a start', `Top\n${end}\nA person’s words`],
    ['two starts and no end', `${start}\nwords\n${start}\nmore words`],
  ])('%s is text: a new block is appended, and no word is lost', (_name, before) => {
    const after = replaceBlock(before, block, markers);
    expect(after).toBe(`${before}\n\n${ours}`);
    expect(replaceBlock(after, block, markers)).toBe(after);
  });

  test('a start that lost its end does not reach over a person’s words to the next block’s end', () => {
    const before = `${start}\nold\nA person’s words\n${put('newer')}\nBottom`;
    expect(replaceBlock(before, block, markers)).toBe(`${start}\nold\nA person’s words\n${ours}\nBottom`);
  });

  test.each([
    ['in a line with other text', `See ${start} and ${end}.`],
    ['indented, as in a code block', `    ${start}\n    x\n    ${end}`],
    ['quoted', `> ${start}\n> x\n> ${end}`],
    ['in a closed code fence', `\`\`\`html\n${start}\nexample\n${end}\n\`\`\``],
    ['in a closed tilde fence with backticks in it', `~~~~\n\`\`\`\n${start}\n~~~\n${end}\n~~~~~`],
  ])('markers %s are an example', (_name, before) => {
    expect(replaceBlock(before, block, markers)).toBe(`${before}\n\n${ours}`);
  });

  test('a fence that nobody closed hides nothing, so that it does not gather block after block', () => {
    const before = `Notes\n\`\`\`\ncode without an end\n\n${put('old')}`;
    expect(replaceBlock(before, block, markers)).toBe(`Notes\n\`\`\`\ncode without an end\n\n${ours}`);
  });

  test('a fence that somebody opened inside our block does not hide its end', () => {
    const before = `${start}\n\`\`\`\nx\n${end}\n\`\`\`\nA person’s words\n`;
    expect(replaceBlock(before, block, markers)).toBe(`${ours}\n\`\`\`\nA person’s words\n`);
  });
});

test.each([
  ['a marker', `x\n${end}\ny`],
  ['a code fence', 'x\n```\ny'],
  ['a carriage return', 'x\r\ny'],
])('a block that holds %s is refused', (_name, text) => {
  expect(() => replaceBlock('Notes', text, markers)).toThrow(
    expect.objectContaining({ blame: 'contract', code: 'block_malformed' }) as Error,
  );
});

describe('for any notes', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      start,
      end,
      '```',
      '~~~',
      '````',
      '   ```',
      '',
      ' ',
      '\t',
      `${start} `,
      `${end}\t`,
      ` ${start}`,
      legacy,
      `${legacy}  `,
    ),
    fc.string({ maxLength: 12 }),
    fc.string({ unit: 'binary', maxLength: 6 }),
  );
  const lineBreak = fc.constantFrom('\n', '\r\n', '\r', '\n\n');
  const notes = fc.array(fc.tuple(piece, lineBreak)).map((parts) => parts.flat().join(''));
  const text = fc
    .array(
      fc.string({ maxLength: 20 }).map((line) => `- ${line.replace(/[\r\n]/g, ' ')}`),
      { minLength: 1, maxLength: 5 },
    )
    .map((lines) => lines.join('\n'));

  test('everything outside our blocks stays as it was, character by character', () => {
    fc.assert(
      fc.property(notes, text, (before, inner) => {
        const after = replaceBlock(before, inner, markers);
        const outside = outsideBlocks(before, markers);
        if (findBlocks(before, markers).length > 0) expect(outsideBlocks(after, markers)).toBe(outside);
        else {
          const { from, to } = findBlocks(after, markers)[0] ?? { from: 0, to: 0 };
          const upTo = before.length - (after.length - to);
          expect(after.slice(to)).toBe(before.slice(upTo));
          expect(after.slice(0, upTo)).toBe(before.slice(0, upTo));
          expect(after.slice(upTo, from)).toMatch(/^(\r?\n){0,2}$/);
        }
      }),
      { numRuns: 3000 },
    );
  });

  test('there is exactly one block afterwards, and it says what it should', () => {
    fc.assert(
      fc.property(notes, text, (before, inner) => {
        const after = replaceBlock(before, inner, markers);
        const places = findBlocks(after, markers);
        expect(places).toHaveLength(1);
        expect(after.slice(places[0]?.from, places[0]?.to).replaceAll('\r\n', '\n')).toBe(put(inner));
      }),
      { numRuns: 3000 },
    );
  });

  test('replacing twice is the same as once, and the last text wins', () => {
    fc.assert(
      fc.property(notes, text, text, (before, first, second) => {
        const once = replaceBlock(before, first, markers);
        expect(replaceBlock(once, first, markers)).toBe(once);
        const then = replaceBlock(once, second, markers);
        expect(outsideBlocks(then, markers)).toBe(outsideBlocks(once, markers));
      }),
      { numRuns: 3000 },
    );
  });
});

test('notes of the largest size, full of fences and markers, take well under a second', () => {
  const line = (at: number) => ['```', '~~~a', start, 'text'][at % 4] ?? '';
  const notes = Array.from({ length: 20_000 }, (_, at) => line(at)).join('\n');
  const before = performance.now();
  replaceBlock(notes, block, markers);
  expect(performance.now() - before).toBeLessThan(1000);
});
