import type { TaskError } from '@assay/failures';
import { PROJECT_ROOT, withTempDir } from '@assay/testing';
import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadSuite, parseSuite } from './load-suite';
import { maxErrorThreshold } from './suite.schema';

const MINIMAL = `schema: assay.suite/1
name: small
title: Small
dataset: { name: d, revision: "1" }
source: { kind: harbor, path: tasks }
publish: counts
errorThreshold: 2
agent: { name: nop }
`;

function problemsOf(text: string): string[] {
  try {
    parseSuite(text, 'suites/small.yaml');
  } catch (error) {
    const { message, code } = error as TaskError;
    expect(code).toBe('suite_invalid');
    const [first, ...problems] = message.split('\n');
    expect(first).toBe('suites/small.yaml is not a valid suite:');
    return problems;
  }
  throw new Error('the suite is valid');
}

const swap = (from: string, to: string) => {
  expect(MINIMAL).toContain(from);
  return MINIMAL.replace(from, to);
};

test('what a suite leaves out has the documented values', () => {
  expect(parseSuite(MINIMAL, 'x')).toEqual({
    schema: 'assay.suite/1',
    name: 'small',
    title: 'Small',
    dataset: { name: 'd', revision: '1' },
    source: { kind: 'harbor', path: 'tasks', tasks: ['*'] },
    kind: 'benchmark',
    publish: 'counts',
    publishTrajectories: false,
    publishPatches: false,
    chain: [],
    abortAfterInfraFailures: 0,
    benchmarkSize: null,
    defaultLimit: null,
    maxLimit: null,
    unpinned: 'refuse',
    errorThreshold: 2,
    onLimit: 'grade',
    forgedMarker: 'quarantine',
    history: 'cut',
    sandbox: 'docker',
    agent: { name: 'nop', options: {} },
    limits: {
      wallSeconds: 7200,
      turns: 200,
      costUsd: null,
      calls: null,
      tokens: null,
      cpus: 2,
      memoryMb: 4096,
      diskMb: 10_240,
      pids: 512,
    },
    runLimits: { calls: null, tokens: null, costUsd: null, wallSeconds: null },
    retry: { maxAttempts: 4, backoffSeconds: 60 },
    grader: { network: 'none', user: null, timeoutSeconds: 1800, cpus: 2, memoryMb: 4096 },
  });
});

test.each([
  ['a wrong type', swap('title: Small', 'title: 3'), '  3:8 title: expected a string, got 3'],
  ['a number for a revision', swap('"1"', '1'), '  4:31 dataset.revision: expected a string, got 1'],
  ['a missing field', swap('title: Small\n', ''), '  1:1 title: expected a string, got nothing'],
  ['an unknown key', `${MINIMAL}thershold: 3\n`, '  9:1 thershold: no such key, got 3'],
  ['an unknown nested key', swap('path: tasks', 'paht: x, path: tasks'), '  5:25 source.paht: no such key, got "x"'],
  [
    'an unknown kind',
    swap('kind: harbor', 'kind: zip'),
    '  5:17 source.kind: expected one of the known kinds, got "zip"',
  ],
  ['another format', swap('suite/1', 'suite/2'), '  1:9 schema: expected "assay.suite/1", got "assay.suite/2"'],
  ['a name with a slash', swap('name: small', 'name: a/b'), '  2:7 name: expected 1 to 100 characters'],
  [
    'an agent that is no name',
    swap('name: nop', 'name: Nop!'),
    '  8:16 agent.name: expected an agent name, got "Nop!"',
  ],
  ['no tasks', swap('path: tasks', 'path: tasks, tasks: []'), 'source.tasks: expected at least 1 entries, got []'],
  ['a mode that is none', swap('counts', 'all'), '  6:10 publish: expected "none" or "counts" or "score", got "all"'],
  ['a threshold of nothing', swap('errorThreshold: 2', 'errorThreshold: 0'), 'errorThreshold: expected more than 0'],
  ['nine attempts', `${MINIMAL}retry:\n  maxAttempts: 9\n`, '  10:16 retry.maxAttempts: expected at most 8, got 9'],
  ['no turns', `${MINIMAL}limits: { turns: 0 }\n`, '  9:18 limits.turns: expected more than 0, got 0'],
  [
    'a network that is none',
    `${MINIMAL}grader: { network: all }\n`,
    '  9:20 grader.network: expected "none" or "outside"',
  ],
])('%s is refused with line, column, field, expectation and value', (_, text, expected) => {
  const problems = problemsOf(text);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(expected);
});

test.each([
  ['a tab', 'schema: x\n\tname: y\n', '2:'],
  [
    'a key twice',
    `${MINIMAL}name: other\n`,
    '9:1 (syntax): expected YAML (Map keys must be unique), got "name: other"',
  ],
  ['two documents', `${MINIMAL}---\n${MINIMAL}`, '(syntax): expected YAML (Source contains multiple documents'],
  ['an open bracket', 'source: [a\n', '(syntax): expected YAML'],
  ['a tag', swap('title: Small', 'title: !run Small'), '(syntax): expected YAML (Unresolved tag: !run)'],
  [
    'an alias',
    swap('path: tasks', 'path: &x tasks, tasks: [*x]'),
    '5:49 (syntax): expected YAML (without aliases, found *x)',
  ],
  ['an alias of itself', 'a: &x [*x]', 'without aliases, found *x'],
  ['nothing', '', '(body): expected an object, got null'],
  ['a list', '- a\n', '1:1 (body): expected an object'],
])('%s is no suite', (_, text, expected) => {
  expect(problemsOf(text).join('\n')).toContain(expected);
});

test('all problems are told at once, in one error', () => {
  const problems = problemsOf(`schema: assay.suite/1
name: small
title: ''
dataset: { name: d }
source: { kind: swebench, file: rows.csv }
publish: counts
agent: { name: nop, hat: red }
`);
  expect(problems.map((line) => /^ {2}[\d:]+ (\S+):/.exec(line)?.[1]).sort()).toEqual([
    'agent.hat',
    'dataset.revision',
    'errorThreshold',
    'source.file',
    'title',
  ]);
});

describe('a suite that publishes a score', () => {
  const scored = (size: number | null, threshold: number, more = '') =>
    `${swap('counts', 'score').replace('errorThreshold: 2', `errorThreshold: ${threshold}`)}benchmarkSize: ${String(size)}\n${more}`;

  test.each([
    [500, 10],
    [89, 2],
    [50, 1],
    [1, 1],
    [51, 2],
  ])('of %d instances may lose fewer than %d', (size, most) => {
    expect(maxErrorThreshold(size)).toBe(most);
    expect(parseSuite(scored(size, most), 'x').errorThreshold).toBe(most);
    const [problem] = problemsOf(scored(size, most + 1));
    expect(problem).toContain(`7:17 errorThreshold: expected at most ${most} for a score of ${size} instances`);
  });

  test('says how large the benchmark is', () => {
    expect(problemsOf(scored(null, 1))[0]).toContain('benchmarkSize: expected the size of the benchmark');
  });

  test('is not measured in the process sandbox', () => {
    expect(problemsOf(scored(50, 1, 'sandbox: process\n'))[0]).toContain('10:10 sandbox: expected docker or any');
  });

  test('is not measured beside git history that may hold the fix', () => {
    const rows = (text: string) => text.replace('kind: harbor, path: tasks', 'kind: swebench, file: r.jsonl');
    expect(problemsOf(rows(scored(50, 1, 'history: kept\n')))[0]).toContain('10:10 history: expected cut');
    // Harbor tasks bring the history that they are about.
    expect(parseSuite(scored(50, 1, 'history: kept\n'), 'x').history).toBe('kept');
    expect(parseSuite(rows(`${MINIMAL}history: kept\n`), 'x').history).toBe('kept');
  });

  test('never has a threshold that a fiftieth of its instances could not explain', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000 }), (size) => {
        const most = maxErrorThreshold(size);
        expect(most === 1 || (most - 1) * 50 < size).toBe(true);
      }),
    );
  });
});

test('rows of SWE-bench need images, so they are not for the process sandbox', () => {
  const text = `${swap('kind: harbor, path: tasks', 'kind: swebench, file: r.jsonl')}sandbox: process\n`;
  expect(problemsOf(text)[0]).toContain('sandbox: expected docker or any: SWE-bench rows need their images');
});

test('no text makes anything but a suite or a TaskError', () => {
  const piece = fc.constantFrom('a', ':', ' ', '\n', '-', '{', '}', '[', '&x', '*x', '!', '"', '|', 'schema', '1');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      expect(problemsOf(pieces.join('')).length).toBeGreaterThan(0);
    }),
    { numRuns: 300 },
  );
});

test('paths are looked up beside the file, and the digest is that of its bytes', () =>
  withTempDir(async (dir) => {
    const file = join(dir, 'small.yaml');
    await writeFile(file, MINIMAL);
    const suite = await loadSuite(file);
    expect(suite.source).toMatchObject({ path: join(dir, 'tasks') });
    expect(suite).toMatchObject({ file, digest: createHash('sha256').update(MINIMAL).digest('hex') });
  }));

test('a file that cannot be read is told as such', async () => {
  await expect(loadSuite('/nowhere/x.yaml')).rejects.toThrow(/cannot read the suite file \/nowhere\/x\.yaml: ENOENT/);
});

test.each(['demo', 'python-demo'])('the shipped suite %s is valid and named like its file', async (name) => {
  const suite = await loadSuite(join(PROJECT_ROOT, 'suites', `${name}.yaml`));
  expect(suite.name).toBe(name);
  expect(await readFile(suite.file, 'utf8')).toContain(`name: ${name}`);
});
