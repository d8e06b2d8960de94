import { withTempDir, writeFolder, type FolderContent } from '@assay/testing';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { isEmptyPatch } from './prediction';
import { keepKnown, readPredictions } from './read-predictions';

const PATCH = 'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n';

const entry = (id: string, change: Record<string, unknown> = {}) => ({
  model_name_or_path: 'a/model',
  instance_id: id,
  model_patch: PATCH,
  ...change,
});

/** Reads `path` of a folder with these files; places are told below `<dir>`. */
const read = (files: FolderContent, path: string) =>
  withTempDir(async (dir) => {
    await writeFolder(dir, files);
    const found = await readPredictions(join(dir, path));
    return JSON.parse(JSON.stringify(found).replaceAll(dir, '<dir>')) as typeof found;
  });

const lines = (...values: unknown[]) =>
  values.map((value) => `${typeof value === 'string' ? value : JSON.stringify(value)}\n`).join('');

const IDS = ['sympy__sympy-1', 'astropy__astropy-2'];

const good = (places: string[]) =>
  IDS.map((instanceId, at) => ({ instanceId, model: 'a/model', patch: PATCH, place: places[at] }));

describe('the formats', () => {
  const [first, second] = IDS.map((id) => entry(id)) as [object, object];

  test('a list, as the harness takes it', async () => {
    const text = JSON.stringify([first, second], null, 2);
    expect(await read({ 'p.json': text }, 'p.json')).toEqual({
      predictions: good(['<dir>/p.json:2', '<dir>/p.json:7']),
      problems: [],
    });
  });

  test('an object by instance id, as mini-swe-agent and SWE-agent write preds.json', async () => {
    const text = JSON.stringify({ [IDS[0]!]: first, [IDS[1]!]: second }, null, 4);
    expect((await read({ 'preds.json': text }, 'preds.json')).predictions).toEqual(
      good(['<dir>/preds.json:2', '<dir>/preds.json:7']),
    );
  });

  test('lines, with blank ones, carriage returns, no last newline, further fields', async () => {
    const text = `${JSON.stringify(first)}\r\n\n${JSON.stringify({ ...second, full_output: 'x', cost: 1 })}`;
    expect(await read({ 'all_preds.jsonl': text }, 'all_preds.jsonl')).toEqual({
      predictions: good(['<dir>/all_preds.jsonl:1', '<dir>/all_preds.jsonl:3']),
      problems: [],
    });
  });

  test('lines in a gz, and a byte order mark in front', () =>
    withTempDir(async (dir) => {
      await writeFile(join(dir, 'p.jsonl.gz'), gzipSync(`\uFEFF${lines(first, second)}`));
      const { predictions, problems } = await readPredictions(join(dir, 'p.jsonl.gz'));
      expect(predictions.map(({ instanceId }) => instanceId)).toEqual(IDS);
      expect(problems).toEqual([]);
    }));

  test("mini-swe-agent's folder, trajectories included", async () => {
    const files = {
      'preds.json': JSON.stringify({ [IDS[0]!]: first, [IDS[1]!]: second }, null, 2),
      [`${IDS[0]!}/${IDS[0]!}.traj.json`]: '{}',
      'exit_statuses_1.yaml': '',
      'minisweagent.log': '',
    };
    const [one, two] = good(['<dir>/preds.json:2', '<dir>/preds.json:7']);
    const withTrajectory = { ...one, trajectoryFile: `<dir>/${IDS[0]!}/${IDS[0]!}.traj.json` };
    expect((await read(files, '.')).predictions).toEqual([withTrajectory, two]);
    expect((await read(files, 'preds.json')).predictions).toEqual([withTrajectory, two]);
  });

  test("SWE-agent's folder after its merge, and its all_preds.jsonl with trajectories beside it", async () => {
    const merged = { 'preds.json': JSON.stringify({ [IDS[0]!]: first }), [`${IDS[0]!}/${IDS[0]!}.traj`]: '{}' };
    expect((await read(merged, '.')).predictions).toEqual([
      { ...good(['<dir>/preds.json:1'])[0], trajectoryFile: `<dir>/${IDS[0]!}/${IDS[0]!}.traj` },
    ]);
    const old = { 'all_preds.jsonl': lines(first), [`${IDS[0]!}.traj`]: '{}' };
    expect((await read(old, '.')).predictions).toEqual([
      { ...good(['<dir>/all_preds.jsonl:1'])[0], trajectoryFile: `<dir>/${IDS[0]!}.traj` },
    ]);
  });

  test("SWE-agent's folder before its merge: <id>/<id>.pred, in order, at any depth", async () => {
    const files = {
      'run_batch.config.yaml': '',
      [`run/${IDS[0]!}/${IDS[0]!}.pred`]: JSON.stringify(first),
      [`run/${IDS[0]!}/${IDS[0]!}.traj`]: '{}',
      [`run/${IDS[1]!}/${IDS[1]!}.pred`]: JSON.stringify(second),
      'run/broken/broken.pred': '{"model_name',
    };
    expect(await read(files, '.')).toEqual({
      predictions: [
        { ...good([])[1], place: `<dir>/run/${IDS[1]!}/${IDS[1]!}.pred` },
        {
          ...good([])[0],
          place: `<dir>/run/${IDS[0]!}/${IDS[0]!}.pred`,
          trajectoryFile: `<dir>/run/${IDS[0]!}/${IDS[0]!}.traj`,
        },
      ],
      problems: [
        {
          place: '<dir>/run/broken/broken.pred',
          instanceId: null,
          problem: String.raw`(prediction): expected a JSON object, got "{\"model_name"`,
        },
      ],
    });
  });
});

test('null, nothing, blanks and a missing key are four things', async () => {
  const text = lines(
    entry('a', { model_patch: null }),
    entry('b', { model_patch: '' }),
    entry('c', { model_patch: ' \n' }),
    entry('d', { model_patch: undefined }),
  );
  const { predictions, problems } = await read({ 'p.jsonl': text }, 'p.jsonl');
  expect(predictions.map(({ instanceId, patch }) => [instanceId, patch, isEmptyPatch(patch)])).toEqual([
    ['a', null, true],
    ['b', '', true],
    ['c', ' \n', false],
  ]);
  expect(problems).toEqual([
    { place: '<dir>/p.jsonl:4', instanceId: 'd', problem: 'model_patch: the key is missing, got nothing' },
  ]);
});

test('each that is wrong is named with its place, and the others are read', async () => {
  const text = lines(
    entry('a'),
    '{"instance_id": "b", ',
    '[]',
    entry('c', { model_patch: 3 }),
    entry('d', { model_name_or_path: undefined }),
    entry('e', { model_name_or_path: '', model_patch: [] }),
    entry('../f'),
    { model_patch: '', model_name_or_path: 'm' },
    entry('a', { model_patch: 'another' }),
    entry('__proto__'),
    entry('z'),
  );
  const { predictions, problems } = await read({ 'p.jsonl': text }, 'p.jsonl');
  expect(predictions.map(({ instanceId, patch }) => [instanceId, patch])).toEqual([
    ['a', 'another'],
    ['z', PATCH],
  ]);
  const id = 'expected 1 to 128 characters of A-Z a-z 0-9 . _ -, the first a letter or digit';
  expect(
    problems.map(({ place, instanceId, problem }) => [place.replace('<dir>/p.jsonl:', ''), instanceId, problem]),
  ).toEqual([
    ['2', null, String.raw`(prediction): expected a JSON object, got "{\"instance_id\": \"b\", "`],
    ['3', null, '(prediction): expected a JSON object, got []'],
    ['4', 'c', 'model_patch: expected a string or null, got 3'],
    ['5', 'd', 'model_name_or_path: the key is missing, got nothing'],
    [
      '6',
      'e',
      'model_name_or_path: expected at least 1 characters, got ""; model_patch: expected a string or null, got []',
    ],
    ['7', '../f', `instance_id: ${id}, got "../f"`],
    ['8', null, 'instance_id: the key is missing, got nothing'],
    ['1', 'a', 'instance_id: expected an id that occurs once, the one of <dir>/p.jsonl:9 is taken, got "a"'],
    ['10', '__proto__', `instance_id: ${id}, got "__proto__"`],
  ]);
});

test('in an object by id, the key is the id where the entry has none; two that differ, and a key twice, are named', async () => {
  const text = `{
  "a": {"model_name_or_path": "m", "model_patch": "x"},
  "b": ${JSON.stringify(entry('c'))},
  "a": ${JSON.stringify(entry('a'))},
  "d": null
}`;
  expect(await read({ 'preds.json': text }, '.')).toEqual({
    predictions: [{ instanceId: 'a', model: 'a/model', patch: PATCH, place: '<dir>/preds.json:4' }],
    problems: [
      { place: '<dir>/preds.json:3', instanceId: 'c', problem: 'instance_id: expected "b", as its key says, got "c"' },
      {
        place: '<dir>/preds.json:2',
        instanceId: 'a',
        problem: 'instance_id: expected an id that occurs once, the one of <dir>/preds.json:4 is taken, got "a"',
      },
      { place: '<dir>/preds.json:5', instanceId: 'd', problem: '(prediction): expected a JSON object, got null' },
    ],
  });
});

test('ids that the data set does not have are named, the others stay', async () => {
  const found = await read({ 'p.jsonl': lines(entry('a'), entry('x'), '{', entry('b')) }, 'p.jsonl');
  const { predictions, problems } = keepKnown(found, new Set(['a', 'b', 'c']));
  expect(predictions.map(({ instanceId }) => instanceId)).toEqual(['a', 'b']);
  expect(problems).toEqual([
    expect.objectContaining({ place: '<dir>/p.jsonl:3' }),
    { place: '<dir>/p.jsonl:2', instanceId: 'x', problem: 'instance_id: expected an id of the data set, got "x"' },
  ]);
});

test.each<[string, FolderContent, string, RegExp]>([
  ['a file that is not there', {}, 'gone.json', /cannot read predictions of .*gone\.json: ENOENT/],
  ['another ending', { 'p.txt': '' }, 'p.txt', /p\.txt: expected a folder, or a file that ends in \.json, \.jsonl/],
  ['a folder without any', { 'x/y.json': '{}' }, '.', /has no preds\.json, no all_preds\.jsonl and no \*\.pred/],
  [
    'broken JSON',
    { 'p.json': '{\n"a": {\n}}}' },
    'p.json',
    /p\.json:3: expected a JSON list of predictions, or an object/,
  ],
  ['an empty file', { 'p.json': '' }, 'p.json', /p\.json: expected a JSON list .*Unexpected end/],
  ['a number', { 'p.json': '3' }, 'p.json', /neither a list nor an object/],
])('%s is told as such', async (_, files, path, expected) => {
  await expect(read(files, path)).rejects.toMatchObject({ code: 'predictions_unreadable', blame: 'task' });
  await expect(read(files, path)).rejects.toThrow(expected);
});

test('a gz that is damaged is told as such', () =>
  withTempDir(async (dir) => {
    await writeFile(join(dir, 'p.jsonl.gz'), gzipSync(lines(entry('a')).repeat(9)).subarray(0, 60));
    await expect(readPredictions(join(dir, 'p.jsonl.gz'))).rejects.toMatchObject({ code: 'predictions_unreadable' });
  }));

test.each(['p.json', 'p.jsonl'])('a file %s without predictions has none', async (name) => {
  const files = { 'p.json': '[]', 'p.jsonl': '\n' };
  expect(await read(files, name)).toEqual({ predictions: [], problems: [] });
});
