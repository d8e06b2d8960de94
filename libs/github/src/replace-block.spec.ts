import { Namespace } from '@assay/contracts';
import { HtmlRenderer, Parser } from 'commonmark';
import fc from 'fast-check';
import { blockDigest, blockMarkers, findBlocks, outsideBlocks, replaceBlock } from './index';

const markers = blockMarkers(Namespace.parse('assay'), 'demo');
const { start, end } = markers;
const block = '### Demo\n\n- 4 / 8, not a benchmark score\n';
const legacy = '<!-- qwen-code-benchmark -->';
const put = (text: string, eol = '\n') => [start, ...text.split('\n'), end].join(eol);
const ours = put(block);

/** What the reference implementation of CommonMark shows a reader. */
const shown = (notes: string): string => new HtmlRenderer().render(new Parser().parse(notes));
const isShown = (notes: string): boolean => {
  const heading = shown(notes).indexOf('<h3>Demo</h3>');
  return heading >= 0 && shown(notes).indexOf('<li>4 / 8, not a benchmark score</li>') > heading;
};

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

  test('a fence that somebody opened inside our block does not hide its end', () => {
    const before = `${start}\n\`\`\`\nx\n${end}\n\`\`\`\nA person’s words\n`;
    expect(replaceBlock(before, block, markers)).toBe(`${ours}\n\`\`\`\nA person’s words\n`);
  });
});

describe('where the notes end in something that nobody closed, a new block is put above it', () => {
  test.each([
    ['a fence', 'Notes\n\n```\ncode\n', `Notes\n\n${ours}\n\`\`\`\ncode\n`],
    ['a fence right below a paragraph', 'Notes\n```\ncode', `Notes\n\n${ours}\n\`\`\`\ncode`],
    ['a fence below much space', 'Notes\n\n\n~~~~ sh\n~~~\n', `Notes\n\n${ours}\n~~~~ sh\n~~~\n`],
    ['an indented fence', 'Notes\n   ```\ncode', `Notes\n\n${ours}\n   \`\`\`\ncode`],
    ['a fence that is all there is', '```\ncode', `${ours}\n\`\`\`\ncode`],
    ['a fence after a closed one', '```\na\n```\n```\nb\n', `\`\`\`\na\n\`\`\`\n\n${ours}\n\`\`\`\nb\n`],
    ['a fence in CRLF notes', 'A\r\n\r\n```\r\nb\r\n', `A\r\n\r\n${put(block, '\r\n')}\r\n\`\`\`\r\nb\r\n`],
    ['a fence that a shorter one does not close', '````\na\n```\n', `${ours}\n\`\`\`\`\na\n\`\`\`\n`],
    ['a fence below a list', '- a\n- b\n\n```\nc\n', `- a\n- b\n\n${ours}\n\`\`\`\nc\n`],
    ['preformatted text', 'A\n\n<pre>\nb\n', `A\n\n${ours}\n<pre>\nb\n`],
    ['a comment', 'A\n\n<!-- b\n', `A\n\n${ours}\n<!-- b\n`],
  ])('%s', (_name, before, after) => {
    expect(replaceBlock(before, block, markers)).toBe(after);
    expect(isShown(after)).toBe(true);
    expect(replaceBlock(after, block, markers)).toBe(after);
    expect(replaceBlock(after, '- new', markers)).toBe(after.replace(/### Demo\r?\n\r?\n- 4.*\r?\n/, '- new'));
  });

  test.each([
    ['a list', '- step\n\n  ```sh\n  npm i\n'],
    ['a list, in its first line', '1. ```sh\n   npm i\n'],
    ['a quote', '> ```\n> code\n'],
    ['a quote in a list', '- > ~~~\n  > code\n'],
  ])('a fence of %s ends with it: the block goes to the end as ever', (_name, before) => {
    const after = replaceBlock(before, block, markers);
    expect(after).toBe(`${before}\n${ours}`);
    expect(isShown(after)).toBe(true);
    expect(replaceBlock(after, block, markers)).toBe(after);
  });

  test('the line that shows where a result belongs is taken above it, and not in it', () => {
    expect(replaceBlock(`${legacy}\n\`\`\`\nA`, block, markers)).toBe(`${legacy}\n\n${ours}\n\`\`\`\nA`);
    expect(replaceBlock(`A\n\n\`\`\`\n${legacy}\n`, block, markers)).toBe(`A\n\n${ours}\n\`\`\`\n${legacy}\n`);
  });

  test('a block that stands in there already is moved, since nobody sees it as it is', () => {
    const raw = `Notes\n\`\`\`\ncode\n\n${ours}\nmore`;
    expect([isShown(raw), blockDigest(raw, markers)]).toEqual([false, null]);
    const after = replaceBlock(raw, block, markers);
    expect(after).toBe(`Notes\n\n${ours}\n\`\`\`\ncode\n\n\nmore`);
    expect([isShown(after), blockDigest(after, markers)]).toEqual([true, blockDigest(ours, markers)]);
  });

  test('a copy in there goes, where one stands above', () => {
    expect(replaceBlock(`${put('old')}\n\`\`\`\n${put('copy')}\nA`, block, markers)).toBe(`${ours}\n\`\`\`\n\nA`);
  });
});

describe('fences of lists and quotes are told from those of the page', () => {
  const list = '- install\n  ```sh\n  npm i\n  ```\n- run';
  const first = '- ```sh\n  npm i\n  ```\n';

  test.each([
    ['a list', list],
    ['a list, opened in its first line', first],
    ['a quote', '> ```\n> code\n> ```\n'],
  ])('the block below a fence of %s is found, whatever people write below it', (_name, before) => {
    const once = replaceBlock(before, block, markers);
    const edited = `${once}\n\n## More\n\n\`\`\`\ncode\n\`\`\`\n`;
    expect(findBlocks(edited, markers)).toHaveLength(1);
    expect(replaceBlock(edited, block, markers)).toBe(edited);
    expect(isShown(edited)).toBe(true);
  });

  test('markers in a fence of a list are an example', () => {
    const before = `- \`\`\`html\n  ${start}\n  ${end}\n  \`\`\`\n`;
    expect(replaceBlock(before, block, markers)).toBe(`${before}\n${ours}`);
  });
});

test('a comment that somebody opened above the block, and did not close, hides nothing of it', () => {
  const before = `<!-- remember\n${ours}\nA`;
  expect(isShown(before)).toBe(true);
  expect(replaceBlock(before, '- new', markers)).toBe(`<!-- remember\n${put('- new')}\nA`);
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
      '- ```',
      '  ```',
      '- item',
      '> ```',
      '> quote',
      '<pre>',
      '</pre>',
      '<!-- open',
      '-->',
      '<div>',
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

  test('everything outside our blocks stays as it was, character by character, where the block is put apart', () => {
    fc.assert(
      fc.property(notes, text, (before, inner) => {
        const after = replaceBlock(before, inner, markers);
        const outside = outsideBlocks(before, markers);
        const { from, to } = findBlocks(after, markers)[0] ?? { from: 0, to: 0 };
        if (findBlocks(before, markers)[0]?.shown === true) expect(outsideBlocks(after, markers)).toBe(outside);
        else {
          const below = after.length - to;
          // At the very top the block brings the line break below it.
          const broken = from === 0 && below > 0 && outside.length < below ? 1 + Number(after[to] === '\r') : 0;
          const upTo = outside.length - below + broken;
          expect(after.slice(to + broken)).toBe(outside.slice(upTo));
          expect(after.slice(0, upTo)).toBe(outside.slice(0, upTo));
          expect(after.slice(upTo, from)).toMatch(/^(\r?\n){0,2}$/);
        }
      }),
      { numRuns: 3000 },
    );
  });

  test('a reader sees the block as it is, by the reference implementation of CommonMark', () => {
    fc.assert(
      fc.property(notes, (before) => isShown(replaceBlock(before, block, markers))),
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

test.each([
  ['fences and markers', ['```', '~~~a', start, 'text']],
  ['fences inside of blocks', [start, '```', end]],
  ['lists, quotes and comments that are not closed', ['- ```', '>>> x', '<!-- open', '   - a', start]],
])('notes of the largest size, full of %s, take well under five seconds', (_what, lines) => {
  const notes = Array.from({ length: 20_000 }, (_, at) => lines[at % lines.length] ?? '').join('\n');
  const before = performance.now();
  replaceBlock(notes.slice(0, 124_000), block, markers);
  expect(performance.now() - before).toBeLessThan(5000);
});
