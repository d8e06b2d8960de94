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

const open = (dir: string, ids: string[], settings: Record<string, unknown> = {}) =>
  openRows(dir, ids.map(row), settings);

const openRows = async (dir: string, rows: object[], settings: Record<string, unknown> = {}) => {
  await writeFile(join(dir, 'rows.jsonl'), rows.map((columns) => `${JSON.stringify(columns)}\n`).join(''));
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
  [[], {}, 'source.file: no rows in '],
  [['a', 'b'], { select: { filter: 'c' } }, 'source.select: selects none of 2 instances'],
])('rows %j with %j are refused', (ids, settings, expected) =>
  withTempDir(async (dir) => {
    await expect(open(dir, ids, settings)).rejects.toMatchObject({ code: 'suite_invalid', blame: 'task' });
    await expect(open(dir, ids, settings)).rejects.toThrow(expected);
  }),
);

test('an id that occurs twice is refused, naming both lines, even where the suite does not want it', () =>
  withTempDir(async (dir) => {
    const opening = open(dir, ['a', 'b', 'c', 'b'], { instances: ['a'] });
    await expect(opening).rejects.toMatchObject({ code: 'row_invalid' });
    await expect(opening).rejects.toThrow(
      'rows.jsonl is not a file of SWE-bench rows:\n' +
        '  4 instance_id: expected an id that occurs once, it is also in line 2, got "b"',
    );
  }));

test('a suite may select as mini-swe-agent does; the instances are sorted all the same', () =>
  withTempDir(async (dir) => {
    const ids = ['sympy__sympy-9', 'astropy__astropy-1', 'django__django-10', 'django__django-9', 'Zope__Zope-1'];
    const selected = async (select: object) => (await open(dir, ids, { select })).ids;
    expect(await selected({ shuffle: true, slice: '2' })).toEqual(['astropy__astropy-1', 'django__django-9']);
    expect(await selected({ filter: '(?i)[adz]', slice: '1:' })).toEqual([
      'Zope__Zope-1',
      'django__django-10',
      'django__django-9',
    ]);
    await expect(selected({ filter: '(' })).rejects.toMatchObject({ code: 'selection_invalid' });
  }));

test('rows may come as Parquet', () =>
  withTempDir(async (dir) => {
    const file = join(__dirname, '../swebench/testdata/rows.lists.zstd.parquet');
    const source = await open(dir, [], { file });
    expect(source.ids).toEqual(['acme__widget-1', 'acme__widget-2', 'acme__widget-3']);
    const bundle = readRow((await source.pack(source.ids[2]!)).content);
    expect(bundle.hidden.passToPass).toEqual(['tests/test_w.py::test_0', 'tests/test_w.py::test_1']);
  }));

describe('the images', () => {
  const one = `sha256:${'1'.repeat(64)}`;
  const two = `sha256:${'2'.repeat(64)}`;
  const rows = [{ ...row('a__a-1'), image: `own/a:1@${one}` }, { ...row('b__b-2'), image: 'own/b:2' }, row('c__c-3')];

  const images = async (settings: Record<string, unknown>, digests?: string, columns: object[] = rows) =>
    withTempDir(async (dir) => {
      if (digests !== undefined) await writeFile(join(dir, 'digests.yaml'), digests);
      const pinned = digests === undefined ? {} : { digests: 'digests.yaml' };
      const source = await openRows(dir, columns, { ...pinned, ...settings });
      const packed = await Promise.all(source.ids.map((id) => source.pack(id)));
      return { images: packed.map(({ image }) => image), warnings: source.warnings };
    });

  const reference = (name: string, digest?: string) => ({
    kind: 'reference',
    reference: name,
    ...(digest === undefined ? {} : { digest }),
  });

  test("are the rows' own with their digests, the official one where a row has none, all with the prefix", async () => {
    expect((await images({ imagePrefix: 'registry.example/' })).images).toEqual([
      reference('registry.example/own/a:1', one),
      reference('registry.example/own/b:2'),
      reference('registry.example/swebench/sweb.eval.x86_64.c_1776_c-3:latest'),
    ]);
  });

  test('have the architecture and namespace of the suite where the row names none; else that is told', async () => {
    const found = await images({ imageArch: 'arm64', imageNamespace: null });
    expect(found.images[2]).toEqual(reference('sweb.eval.arm64.c__c-3:latest'));
    expect(found.warnings).toEqual([
      'source.imageArch: the row names its image, it has no effect (a__a-1, b__b-2)',
      'source.imageNamespace: the row names its image, it has no effect (a__a-1, b__b-2)',
    ]);
  });

  test.each([
    ['YAML', `# pinned\nb__b-2: ${two}\nc__c-3: ${one}\n`],
    ['JSON', JSON.stringify({ 'a__a-1': one, 'b__b-2': two, 'c__c-3': one }, null, 2)],
  ])('are pinned by a map in %s', async (_, digests) => {
    expect((await images({}, digests)).images).toEqual([
      reference('own/a:1', one),
      reference('own/b:2', two),
      reference('swebench/sweb.eval.x86_64.c_1776_c-3:latest', one),
    ]);
  });

  test.each([
    ['an instance without digest', `b__b-2: ${two}\n`, 'suite_invalid', 'source.digests: no digest for c__c-3'],
    [
      'an id that no row has',
      `b__b-2: ${two}\nc__c-3: ${one}\nd: ${one}\n`,
      'suite_invalid',
      /source\.digests: not in .*rows\.jsonl: d$/,
    ],
    [
      'another digest than the row',
      `a__a-1: ${two}\n`,
      'row_invalid',
      `  1 image: expected the digest that the suite pins, ${two}, got "own/a:1@${one}"`,
    ],
    [
      'a digest that is none',
      `b__b-2: ${two}\nc__c-3: sha256:12\n`,
      'digests_invalid',
      '  2:9 c__c-3: expected sha256: and 64 lower-case hexadecimal digits, got "sha256:12"',
    ],
    [
      'an id that is none',
      `b b: ${two}\n`,
      'digests_invalid',
      'digests.yaml is not a map of image digests:\n  1:6 b b: ',
    ],
    [
      'an id twice',
      `a: ${one}\na: ${two}\n`,
      'digests_invalid',
      '  2:1 (syntax): expected YAML or JSON (Map keys must be',
    ],
    ['a list', '- a\n', 'digests_invalid', '1:1 (body): expected a table'],
  ])('%s in the map is refused', async (_, digests, code, message) => {
    await expect(images({}, digests)).rejects.toMatchObject({ code, blame: 'task' });
    await expect(images({}, digests)).rejects.toThrow(message);
  });

  test('a map that is not there is told as such', async () => {
    await expect(images({ digests: 'gone.yaml' })).rejects.toThrow(
      /cannot read the image digests of .*gone\.yaml: ENOENT/,
    );
  });

  test('a name that the naming of the suite spoils is refused with the line of its row', async () => {
    await expect(images({ imageTemplate: 'Mirror/{name}' })).rejects.toThrow(
      '(a__a-1):\n  1 image: expected an image name such as owner/name:tag',
    );
    const columns = [{ ...row('a'), image: 'Own/a' }];
    await expect(images({}, undefined, columns)).rejects.toThrow('  1 image: expected an image name');
  });
});
