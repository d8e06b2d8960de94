import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InfraError, TaskError } from '@assay/failures';
import { PROJECT_ROOT } from '@assay/testing';
import { SuiteLibrary } from './suite-library';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'assay-suites-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const text = (name: string) =>
  [
    'schema: assay.suite/1',
    `name: ${name}`,
    'title: T',
    'dataset: { name: d, revision: "1" }',
    'source: { kind: harbor, path: tasks }',
    'publish: none',
    'errorThreshold: 1',
    'agent: { name: nop }',
    '',
  ].join('\n');

test('the example suites can be loaded by name', async () => {
  const library = new SuiteLibrary(join(PROJECT_ROOT, 'suites'), []);
  expect(await library.names()).toEqual(expect.arrayContaining(['demo', 'python-demo']));
  expect((await library.load('demo')).title).toBe('Assay demo');
});

test('suites are the files <name>.yaml, sorted; links to files count, as mounted configuration is made of them', async () => {
  await writeFile(join(dir, 'b.yaml'), text('b'));
  await symlink(join(dir, 'b.yaml'), join(dir, 'a.yaml'));
  await writeFile(join(dir, 'c.yml'), text('c'));
  await writeFile(join(dir, '.hidden.yaml'), text('hidden'));
  await mkdir(join(dir, 'd.yaml'));
  expect(await new SuiteLibrary(dir, []).names()).toEqual(['a', 'b']);
});

test('a suite that is written later is there without a restart', async () => {
  const library = new SuiteLibrary(dir, []);
  expect(await library.names()).toEqual([]);
  await writeFile(join(dir, 'late.yaml'), text('late'));
  expect((await library.load('late')).name).toBe('late');
});

test('an unknown suite is refused, naming those there are', async () => {
  await writeFile(join(dir, 'b.yaml'), text('b'));
  const loading = new SuiteLibrary(dir, []).load('ghost');
  await expect(loading).rejects.toThrow(TaskError);
  await expect(loading).rejects.toMatchObject({ code: 'suite_unknown', message: 'Unknown suite: ghost (known: b)' });
});

test('a file that names another suite is refused: whoever asks for a name gets what it says', async () => {
  await writeFile(join(dir, 'a.yaml'), text('b'));
  await expect(new SuiteLibrary(dir, []).load('a')).rejects.toMatchObject({
    code: 'suite_invalid',
    message: expect.stringContaining('must be called b.yaml') as string,
  });
});

test('a folder that cannot be read is our fault, not the submission’s', async () => {
  const naming = new SuiteLibrary(join(dir, 'gone'), []).names();
  await expect(naming).rejects.toThrow(InfraError);
  await expect(naming).rejects.toThrow(/ASSAY_SUITES_DIR/);
});

test('a folder that cannot be read is our fault, and names its variable', async () => {
  await expect(new SuiteLibrary(join(dir, 'nowhere'), []).names()).rejects.toMatchObject({
    blame: 'infra',
    code: 'suites_unreadable',
    message: expect.stringContaining('ASSAY_SUITES_DIR') as string,
  });
});
