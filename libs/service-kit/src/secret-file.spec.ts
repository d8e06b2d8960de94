import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { redactText } from '@assay/telemetry';
import { readSecretFile, secretFile, UnsafeSecretFile } from './index';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'assay-secret-'));
});
afterEach(() => {
  rmSync(dir, { recursive: true });
});

function secretIn(name: string, content: string, mode: number): string {
  const file = join(dir, name);
  writeFileSync(file, content);
  chmodSync(file, mode);
  return file;
}

test.each([0o600, 0o400, 0o440])('a file of mode %o is read, without the white space around', (mode) => {
  expect(readSecretFile(secretIn('t', '\n the-token \n', mode))).toBe('the-token');
});

test.each([0o644, 0o640, 0o604, 0o660, 0o602, 0o444, 0o666])('a file of mode %o is refused', (mode) => {
  const file = secretIn('t', 'the-token', mode);
  expect(() => readSecretFile(file)).toThrow(UnsafeSecretFile);
  expect(() => readSecretFile(file)).toThrow(`${file} has mode 0${mode.toString(8)}: others could read or change it`);
});

test('a link is refused, even to a good file', () => {
  const link = join(dir, 'link');
  symlinkSync(secretIn('t', 'the-token', 0o600), link);
  expect(() => readSecretFile(link)).toThrow('is a symbolic link');
});

test('a folder and a pipe are refused, without waiting for a writer', () => {
  const folder = join(dir, 'folder');
  mkdirSync(folder, { mode: 0o700 });
  expect(() => readSecretFile(folder)).toThrow('is not a regular file');
  const pipe = join(dir, 'pipe');
  execFileSync('mkfifo', ['-m', '600', pipe]);
  expect(() => readSecretFile(pipe)).toThrow('is not a regular file');
});

test.each<[string, string, string]>([
  ['empty', '', 'is empty'],
  ['of white space', ' \n\t\n', 'is empty'],
  ['huge', 'x'.repeat(70_000), 'has more than 64 KiB'],
])('a file that is %s is refused', (_name, content, reason) => {
  expect(() => readSecretFile(secretIn('t', content, 0o600))).toThrow(reason);
});

test.each(['canary\ncanary', 'canary canary', 'canary\0', 'canary\u00e4'])(
  'a file with %j, which no HTTP header takes, is refused without showing it',
  (content) => {
    const file = secretIn('t', content, 0o600);
    expect(() => readSecretFile(file)).toThrow(
      new UnsafeSecretFile(`${file} must hold one line of printable ASCII characters without spaces`),
    );
  },
);

test.each([0o777, 0o1777, 0o702])('a file in a folder of mode %o, which anybody can write to, is refused', (mode) => {
  const file = secretIn('t', 'the-token', 0o600);
  chmodSync(dir, mode);
  expect(() => readSecretFile(file)).toThrow(`${dir} can be written to by anybody`);
});

test('a file that is not there is told by name', () => {
  expect(() => readSecretFile(join(dir, 'absent'))).toThrow(`${join(dir, 'absent')} does not exist`);
  expect(() => readSecretFile(join(secretIn('t', 'x', 0o600), 'below'))).toThrow('cannot be opened (ENOTDIR)');
});

test('what was read is known to the logs from then on', () => {
  readSecretFile(secretIn('t', 'open-sesame-42', 0o600));
  expect(redactText('say open-sesame-42')).toBe('say [redacted]');
});

test('as a setting the variable names the file and the value is its content', () => {
  expect(secretFile().parse(secretIn('t', 'the-token', 0o600))).toBe('the-token');
  const message = secretFile().safeParse(secretIn('u', 'the-token', 0o644)).error?.issues[0]?.message;
  expect(message).toContain('but');
  expect(message).toContain('has mode 0644');
  expect(message).not.toContain('the-token');
});
