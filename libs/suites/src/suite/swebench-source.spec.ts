import { canonicalJson } from '@assay/contracts';
import { withTempDir } from '@assay/testing';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readRow } from '../swebench/read-rows';
import { loadSuite } from './load-suite';
import { openSource } from './task-source';

const row = (id: string) => ({
  instance_id: id,
  repo: 'acme/widget',
  base_commit: 'b'.repeat(40),
  problem_statement: 'It breaks.',
  patch: '',
  test_patch: '',
  FAIL_TO_PASS: '[]',
  PASS_TO_PASS: '[]',
  eval_script: 'true',
  log_parser: 'parse_log_pytest',
  eval_type: 'pass_and_fail',
  further: { column: 1 },
});

const open = async (dir: string, ids: string[], settings: Record<string, unknown> = {}) => {
  await writeFile(join(dir, 'rows.jsonl'), ids.map((id) => `${JSON.stringify(row(id))}\n`).join(''));
  const source = JSON.stringify({ kind: 'swebench', file: 'rows.jsonl', ...settings });
  await writeFile(
    join(dir, 'suite.yaml'),
    `schema: assay.suite/1\nname: suite\ntitle: T\ndataset: {name: d, revision: r}\nsource: ${source}\n` +
      'publish: none\nerrorThreshold: 1\nagent: {name: nop}\n',
  );
  return openSource(await loadSuite(join(dir, 'suite.yaml')));
};

test('each row is an instance, sorted; its bundle is the row with all columns', () =>
  withTempDir(async (dir) => {
    const source = await open(dir, ['b__b-2', 'a__a-1', 'b__b-10']);
    expect(source.ids).toEqual(['a__a-1', 'b__b-10', 'b__b-2']);
    const packed = await source.pack(source.ids[0]!);
    expect(packed).toMatchObject({
      source: 'swebench',
      mediaType: 'application/json',
      image: { kind: 'reference', reference: 'swebench/sweb.eval.x86_64.a_1776_a-1:latest' },
    });
    expect(packed.content.toString()).toBe(canonicalJson(row('a__a-1')));
    expect(readRow(packed.content).instanceId).toBe('a__a-1');
  }));

test('a suite may choose instances and name their images', () =>
  withTempDir(async (dir) => {
    const settings = { instances: ['b__b-2'], imageTemplate: 'assay/{name}:local' };
    const source = await open(dir, ['b__b-2', 'a__a-1'], settings);
    expect(source.ids).toEqual(['b__b-2']);
    expect((await source.pack(source.ids[0]!)).image).toEqual({ kind: 'reference', reference: 'assay/b-2:local' });
  }));

test.each([
  [['a'], { instances: ['a', 'ghost'] }, 'source.instances: not in '],
  [['a', 'a'], {}, 'source.file: a occurs twice'],
  [[], {}, 'source.file: no rows in '],
])('rows %j with %j are refused', (ids, settings, expected) =>
  withTempDir(async (dir) => {
    await expect(open(dir, ids, settings)).rejects.toMatchObject({ code: 'suite_invalid', blame: 'task' });
    await expect(open(dir, ids, settings)).rejects.toThrow(expected);
  }),
);
