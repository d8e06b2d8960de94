import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assay, TOKEN } from './harness/submit-bench';

// Every option that takes a path, given something else: one line that names option, path and expectation, and exit code 2.

let dir: string;
let connection: Record<string, string>;
const at = (path: string) => path.replaceAll('DIR', dir);

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'assay-paths-'));
  chmodSync(dir, 0o755);
  mkdirSync(join(dir, 'folder'));
  writeFileSync(join(dir, 'empty'), '');
  writeFileSync(join(dir, 'empty.yaml'), '');
  writeFileSync(join(dir, 'text'), 'text\n');
  writeFileSync(join(dir, 'binary'), Buffer.from([0, 1, 2, 255]));
  writeFileSync(join(dir, 'binary.yaml'), Buffer.from([0, 1, 2, 255]));
  writeFileSync(join(dir, 'preds.json'), '[]');
  writeFileSync(join(dir, 'secret'), 'secret', { mode: 0o000 });
  writeFileSync(join(dir, 'token'), TOKEN, { mode: 0o644 });
  spawnSync('mkfifo', [join(dir, 'pipe')]);
  connection = { ASSAY_URL: 'http://127.0.0.1:1', ASSAY_API_TOKEN_FILE: join(dir, 'token') };
});
afterAll(() => {
  rmSync(dir, { recursive: true, force: true });
});

async function told(command: string, env: Readonly<Record<string, string>> = {}, uid?: number): Promise<string> {
  const given = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, at(value)]));
  const { code, stdout, stderr } = await assay(at(command).split(' '), { ...connection, ...given }, uid);
  expect({ code, stdout, lines: stderr.trimEnd().split('\n').length }).toEqual({ code: 2, stdout: '', lines: 1 });
  expect(stderr).not.toMatch(/\n {4}at /);
  return stderr.trimEnd().replaceAll(dir, 'DIR');
}

const policy = '--policy: expected a release policy, but';
const suite = '--suite: expected a suite file, but';
const json = '--json: expected a file that can be written, but';
const place = 'expected a folder that can be made or written to, but';
const ca = '--ca-file (or ASSAY_CA_FILE): expected a PEM file with certificates, but';

test.each([
  ['up --once --policy DIR/folder', `${policy} DIR/folder is a folder`],
  ['up --once --policy DIR/none', `${policy} DIR/none is not there`],
  ['up --once --policy DIR/text/below', `${policy} DIR/text/below leads through something that is no folder`],
  ['up --once --policy DIR/empty', `${policy} DIR/empty is empty`],
  ['up --once --policy DIR/binary', `${policy} DIR/binary is no text`],
  ['up --once --policy DIR/pipe', `${policy} DIR/pipe is a pipe`],
  ['up --once --suite DIR/folder', `${suite} DIR/folder is a folder`],
  ['up --once --suite DIR/binary.yaml', `${suite} DIR/binary.yaml is no text`],
  ['up --once --suite DIR/empty.yaml', `${suite} DIR/empty.yaml is empty`],
  ['up --once --suite DIR/text', '--suite: expected a file called <name>.yaml, got DIR/text'],
  ['up --once --agent nope', expect.stringMatching(/^--agent: Unknown agent: nope \(known: /) as string],
  ['up --once --json DIR/folder', `${json} DIR/folder is a folder`],
  ['up --once --json DIR/none/r.json', `${json} DIR/none/r.json is in a folder that is not there`],
  ['up --once --json DIR/text/r.json', `${json} DIR/text/r.json leads through something that is no folder`],
  ['up --once --state-dir DIR/text', `--state-dir: ${place} DIR/text is a file`],
  [
    'up --once --state-dir DIR/text/a/b',
    `--state-dir: ${place} DIR/text/a/b leads through something that is no folder`,
  ],
])('assay %s', async (command, line) => {
  expect(await told(command)).toEqual(line);
});

test.each([
  ['validate DIR/folder', 'SUITE: expected the file of a suite, but DIR/folder is a folder'],
  ['validate DIR/binary', 'SUITE: expected the file of a suite, but DIR/binary is no text'],
  [
    'validate demo --manifest /nope/x',
    '--manifest: expected a file that can be written, but /nope/x is in a folder that is not there',
  ],
  ['validate demo --data DIR/text', '--data: expected a folder of data sets, but DIR/text is a file'],
  ['validate --policy DIR/folder', `${policy} DIR/folder is a folder`],
  [
    'validate --policy DIR/text --suites DIR/text',
    '--suites: expected a folder of suite files, but DIR/text is a file',
  ],
  [
    'signing-key --out DIR/none/key',
    '--out: expected a file that can be written, but DIR/none/key is in a folder that is not there',
  ],
  [
    'signing-key --out DIR/text/key',
    '--out: expected a file that can be written, but DIR/text/key leads through something that is no folder',
  ],
  [
    'tokens create ci --scope runs:read --out DIR/none/t',
    '--out: expected a file that can be written, but DIR/none/t is in a folder that is not there',
  ],
  [
    'tokens create ci --scope runs:read --out DIR/folder',
    '--out: expected a file that can be written, but DIR/folder is a folder',
  ],
  ['export run-1 --out DIR/text/run', `--out: ${place} DIR/text/run leads through something that is no folder`],
  ['submit --receipt DIR/folder', '--receipt: expected a file that can be written, but DIR/folder is a folder'],
  ['verify DIR/text --key DIR/folder', '--key: expected a PEM file with public keys, but DIR/folder is a folder'],
  ['verify DIR/text --key DIR/empty', '--key: expected a PEM file with public keys, but DIR/empty is empty'],
  ['runs --ca-file DIR/folder', `${ca} DIR/folder is a folder`],
  ['runs --ca-file DIR/binary', `${ca} DIR/binary is no text`],
  ['runs --ca-file DIR/text', `${ca} DIR/text holds none`],
])('assay %s', async (command, line) => {
  expect(await told(command)).toBe(line);
});

test.each([
  [
    'grade --predictions DIR/none --suite demo',
    '--predictions: expected a file or folder of predictions, but DIR/none is not there',
  ],
  ['grade --predictions DIR/preds.json --suite demo --out DIR/text', `--out: ${place} DIR/text is a file`],
  ['grade --predictions DIR/preds.json --suite demo --state-dir DIR/text', `--state-dir: ${place} DIR/text is a file`],
  [
    'grade --predictions DIR/preds.json --suite DIR/folder',
    '--suite: expected a suite name or file, but DIR/folder is a folder',
  ],
  [
    'grade --predictions DIR/preds.json --subset verified --data DIR/text',
    '--data: expected a folder of data sets, but DIR/text is a file',
  ],
  ['grade logs --in DIR/folder --out DIR/out', '--in: expected a file, but DIR/folder is a folder'],
  [
    'grade parsers --in DIR/text --out DIR/folder',
    '--out: expected a file that can be written, but DIR/folder is a folder',
  ],
])('assay %s', async (command, line) => {
  // With an address it would be the pool there that is asked.
  expect(await told(command, { ASSAY_URL: '' })).toBe(line);
});

test.each([
  [
    'up --once',
    { ASSAY_DATA_DIR: 'DIR/text' },
    'ASSAY_DATA_DIR: expected a folder of data sets, but DIR/text is a file',
  ],
  [
    'validate demo',
    { ASSAY_DATA_DIR: 'DIR/none' },
    'ASSAY_DATA_DIR: expected a folder of data sets, but DIR/none is not there',
  ],
  [
    'up --once --state-dir DIR/new',
    { ASSAY_ARTIFACTS: 's3://' },
    'ASSAY_ARTIFACTS: expected a folder, or s3://bucket, or s3://bucket/prefix, got "s3://"',
  ],
  [
    'up --once --state-dir DIR/new',
    { ASSAY_NAMESPACE: 'a b' },
    expect.stringMatching(/^ASSAY_NAMESPACE: .*, got "a b"$/) as string,
  ],
])('assay %s with %j', async (command, env, line) => {
  expect(await told(command, env)).toEqual(line);
});

test.each([
  ['validate --policy DIR/secret', `${policy} DIR/secret may not be used so by this user`],
  ['grade logs --in DIR/secret --out -', '--in: expected a file, but DIR/secret may not be used so by this user'],
  ['runs --ca-file DIR/secret', `${ca} DIR/secret may not be used so by this user`],
  [
    'signing-key --out DIR/key',
    '--out: expected a file that can be written, but DIR/key may not be used so by this user',
  ],
  [
    'validate demo --manifest DIR/list.json',
    '--manifest: expected a file that can be written, but DIR/list.json may not be used so by this user',
  ],
])('assay %s, by a user who may not', async (command, line) => {
  // The owner of everything may do everything: somebody else is needed.
  expect(await told(command, {}, process.getuid?.() === 0 ? 65_534 : undefined)).toBe(line);
});
