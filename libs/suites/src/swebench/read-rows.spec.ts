import type { TaskError } from '@assay/failures';
import { withTempDir } from '@assay/testing';
import fc from 'fast-check';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { readRow, readRows } from './read-rows';

const ROW = {
  instance_id: 'acme__widget-7',
  repo: 'acme/widget',
  base_commit: 'a'.repeat(40),
  problem_statement: 'It breaks.',
  hints_text: 'Look there.',
  patch: 'the patch',
  test_patch: 'the test patch',
  version: '1.0',
  FAIL_TO_PASS: '["test_a", "test b"]',
  PASS_TO_PASS: '[]',
  eval_script: '#!/bin/bash\ntrue\n',
  log_parser: 'parse_log_pytest',
  eval_type: 'pass_and_fail',
  difficulty: '<15 min fix',
};

const read = (text: string | Buffer, name = 'rows.jsonl') =>
  withTempDir(async (dir) => {
    await writeFile(join(dir, name), text);
    const rows = [];
    for await (const row of readRows(join(dir, name))) rows.push(row);
    return rows;
  });

const line = (change: Record<string, unknown> = {}) => JSON.stringify({ ...ROW, ...change });

test('what a model may see is apart from what decides the verdict', () => {
  const row = readRow(Buffer.from(line()));
  expect(row).toEqual({
    instanceId: 'acme__widget-7',
    visible: { repo: 'acme/widget', baseCommit: 'a'.repeat(40), problemStatement: 'It breaks.' },
    hidden: {
      patch: 'the patch',
      testPatch: 'the test patch',
      failToPass: ['test_a', 'test b'],
      passToPass: [],
      evalScript: '#!/bin/bash\ntrue\n',
      logParser: 'parse_log_pytest',
      evalType: 'pass_and_fail',
    },
    image: null,
  });
  expect(JSON.stringify(row.visible)).not.toMatch(/patch|test_a|Look there/);
});

test.each([
  ['other/image:1', 'other/image:1'],
  [`other/image@sha256:${'a'.repeat(64)}`, `other/image@sha256:${'a'.repeat(64)}`],
  [null, null],
  [undefined, null],
])('the image %j of a row is kept as %j', (image, expected) => {
  expect(readRow(Buffer.from(line({ image }))).image).toBe(expected);
});

test('test ids are a list or a string that holds one, with the same result', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (ids) => {
      const asList = readRow(Buffer.from(line({ FAIL_TO_PASS: ids, PASS_TO_PASS: ids })));
      const asText = readRow(Buffer.from(line({ FAIL_TO_PASS: JSON.stringify(ids), PASS_TO_PASS: ids })));
      expect(asText).toEqual(asList);
      expect(asText.hidden.failToPass).toEqual(ids);
    }),
  );
});

test('all columns are kept in the raw row', async () => {
  const [only] = await read(line({ extra: { deep: [1] } }));
  expect(only?.raw).toEqual({ ...ROW, extra: { deep: [1] } });
});

test('blank lines, a missing last newline and carriage returns do no harm', async () => {
  const text = `${line({ instance_id: 'a' })}\r\n\n${line({ instance_id: 'b' })}`;
  expect((await read(text)).map(({ row }) => row.instanceId)).toEqual(['a', 'b']);
});

test('gz is unpacked on the way, characters across chunk ends stay whole', async () => {
  const statement = 'é🙂'.repeat(100_000);
  const rows = await read(gzipSync(`${line({ problem_statement: statement })}\n`), 'rows.jsonl.gz');
  expect(rows[0]?.row.visible.problemStatement).toBe(statement);
});

test.each(['eval_script', 'log_parser', 'eval_type', 'FAIL_TO_PASS', 'PASS_TO_PASS', 'base_commit', 'instance_id'])(
  'a row without the column %s is refused, naming file, line, instance and column',
  async (column) => {
    const broken = line({ [column]: undefined });
    const reading = read(`${line()}\n\n${broken}\n`);
    await expect(reading).rejects.toMatchObject({ code: 'row_invalid', blame: 'task' });
    const { message } = (await reading.catch((error: unknown) => error)) as TaskError;
    expect(message).toMatch(/rows\.jsonl is not a file of SWE-bench rows/);
    expect(message).toContain(`  3 ${column}: the column is missing`);
    if (column !== 'instance_id') expect(message).toContain('(acme__widget-7)');
  },
);

test.each([
  [{ eval_type: 'pass' }, 'eval_type: expected "pass_and_fail" or "fail_only", got "pass"'],
  [{ FAIL_TO_PASS: 'test_a' }, 'FAIL_TO_PASS: expected a list of strings, or a string that holds one as JSON'],
  [{ FAIL_TO_PASS: '[1]' }, 'FAIL_TO_PASS: expected a list of strings'],
  [{ PASS_TO_PASS: [1] }, 'PASS_TO_PASS'],
  [{ instance_id: 'a/b' }, 'instance_id: expected 1 to 128 characters'],
  [{ eval_script: '' }, 'eval_script: expected at least 1 characters'],
  [{ repo: null }, 'repo: expected a string, got null'],
  [{ image: 'Own/Image' }, '1 image: expected an image name such as owner/name:tag'],
  [{ image: 'a@sha256:12' }, '1 image: expected an image name'],
])('%j is refused', async (change, expected) => {
  await expect(read(line(change))).rejects.toThrow(expected);
});

test.each(['{', '[]', 'null', '"text"'])('the line %j is no row', async (text) => {
  await expect(read(`${line()}\n${text}\n`)).rejects.toThrow('2 (row): expected a JSON object');
});

test.each([
  ['a damaged gz', 'rows.jsonl.gz', Buffer.from('no gz')],
  ['a gz that is cut off', 'rows.jsonl.gz', gzipSync(`${line()}\n`.repeat(5)).subarray(0, 100)],
])('%s is told as such', async (_, name, bytes) => {
  await expect(read(bytes, name)).rejects.toMatchObject({ code: 'source_unreadable', blame: 'task' });
});

test.each(['gone.jsonl', 'gone.jsonl.gz'])('%s that is not there is told as such', async (name) => {
  const rows = readRows(join('/nowhere', name));
  await expect(rows.next()).rejects.toThrow(/cannot read the rows of \/nowhere\/gone.*ENOENT/);
});

test('who stops early is not kept by the file', async () => {
  const text = Array.from({ length: 1000 }, (_, at) => `${line({ instance_id: `a-${at}` })}\n`).join('');
  await withTempDir(async (dir) => {
    await writeFile(join(dir, 'rows.jsonl.gz'), gzipSync(text));
    let seen = 0;
    for await (const { row } of readRows(join(dir, 'rows.jsonl.gz'))) {
      expect(row.instanceId).toBe(`a-${seen}`);
      seen += 1;
      if (seen === 3) break;
    }
    expect(seen).toBe(3);
  });
});
