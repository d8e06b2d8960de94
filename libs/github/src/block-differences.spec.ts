import { Namespace } from '@assay/contracts';
import { aFailedResult, aPublicResult } from '@assay/testing';
import { blockDifferences, blockSuites } from './block-differences';
import { blockMarkers } from './block-markers';
import { renderBlock, renderShortBlock } from './render-block';
import { replaceBlock } from './replace-block';

const markers = blockMarkers(Namespace.parse('assay'), 'demo');
const result = aPublicResult();
const links = [
  { title: 'Every instance', name: 'assay-demo-run-1-0a1b2c3d.json', url: 'https://example.com/a/(b)/assay.json' },
];
const notes = (render = renderBlock, said: Parameters<typeof renderBlock>[0] = result, eol = '\n') =>
  replaceBlock(['## New', '', 'text', ''].join(eol), render(said, links), markers);

test.each([
  ['whole', notes()],
  ['in the short form', notes(renderShortBlock)],
  ['with line breaks of Windows', notes(renderBlock, result, '\r\n')],
])('a block that says the result %s has none', (_, body) => {
  expect(blockDifferences(body, result, links)).toEqual([]);
});

test('so does the block of a run that FAILED', () => {
  const lost = aFailedResult();
  const own = blockMarkers(Namespace.parse('assay'), lost.suite);
  expect(blockDifferences(replaceBlock(null, renderBlock(lost, []), own), lost, links)).toEqual([]);
});

test('a changed number is told from both sides', () => {
  const found = blockDifferences(notes().replace('3 resolved', '5 resolved'), result, links);
  expect(found).toHaveLength(2);
  expect(found[0]).toMatch(/does not say what the result says: - Instances: 3 resolved/);
  expect(found[1]).toMatch(/says what the result does not say: - Instances: 5 resolved/);
});

test.each([
  ['another title', (body: string) => body.replace('- Every instance:', '- Every instance, all 5 resolved:')],
  ['another address', (body: string) => body.replace('https://example.com', 'https://evil.example')],
  ['another file', (body: string) => body.replaceAll('0a1b2c3d', 'ffffffff')],
])('a file with %s is told', (_, change) => {
  expect(blockDifferences(change(notes()), result, links)).toEqual([
    expect.stringMatching(/says what the result does not say: - Every instance/),
  ]);
});

test('the suites that notes have a block of are known; a marker alone makes none', () => {
  expect(blockSuites(`${notes()}\n<!-- assay:assay:swe:start -->\n`)).toEqual(['demo']);
  const other = blockMarkers(Namespace.parse('x'), 'swe');
  expect(blockSuites(replaceBlock(notes(), 'forged', other))).toEqual(['demo', 'swe']);
});

test('a line that was put in is told', () => {
  const body = notes().replace('- Instances', '- Score: 100.00 %\n- Instances');
  expect(blockDifferences(body, result, links)).toEqual([
    'the block on the release says what the result does not say: - Score: 100.00 %',
  ]);
});

test('a second block of the same suite, from whatever deployment, is held against it as well', () => {
  const other = blockMarkers(Namespace.parse('other'), 'demo');
  const twice = replaceBlock(notes(), renderBlock({ ...result, runId: 'run-2' as never }, []), other);
  expect(blockDifferences(twice, result, links)).toEqual([
    expect.stringMatching(/does not say .* Run `run-1`$/),
    expect.stringMatching(/says what the result does not say: - Run `run-2`$/),
  ]);
});

test.each(['', 'text', '<!-- assay:assay:demo:start -->\ntext', notes().replaceAll('demo', 'other')])(
  'notes without a block of the suite are told',
  (body) => {
    expect(blockDifferences(body, result, links)).toEqual(['the notes have no block of the suite demo']);
  },
);
