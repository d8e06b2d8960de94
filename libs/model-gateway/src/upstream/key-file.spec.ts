import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { InfraError } from '@assay/failures';
import { readKeyFile } from './key-file';

const KEY = 'sk-canary-5d2e';
let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'assay-key-'));
});
afterEach(() => {
  rmSync(dir, { recursive: true });
});

function keyIn(name: string, content = KEY, mode = 0o600): string {
  const file = join(dir, name);
  writeFileSync(file, content);
  chmodSync(file, mode);
  return file;
}

/** The reason of the refusal, which names the path and shows no content. */
function refusal(file: string): string {
  try {
    readKeyFile(file);
  } catch (error) {
    expect(error).toBeInstanceOf(InfraError);
    expect(inspect(error, { depth: 10 })).not.toContain(KEY);
    const { message, code, details } = error as InfraError;
    expect(code).toBe('model_key_unsafe');
    expect(details['file']).toBe(file);
    expect(message).toContain(`the key file ${file} `);
    return message.slice(`the key file ${file} `.length);
  }
  throw new Error('it was not refused');
}

test.each([0o600, 0o400, 0o700])('a file of mode %o is read, without the white space around', (mode) => {
  expect(readKeyFile(keyIn('key', `\n ${KEY} \r\n`, mode))).toBe(KEY);
});

test.each([
  [0o640, '0640'],
  [0o620, '0620'],
  [0o610, '0610'],
  [0o604, '0604'],
  [0o602, '0602'],
  [0o644, '0644'],
  [0o440, '0440'],
  [0o666, '0666'],
])('a file of mode %o, which group or others can read or write, is refused', (mode, shown) => {
  expect(refusal(keyIn('key', KEY, mode))).toContain(`has mode ${shown}: group or others can read or write it`);
});

test('a symbolic link is refused, even to a good file', () => {
  symlinkSync(keyIn('key'), join(dir, 'link'));
  expect(refusal(join(dir, 'link'))).toBe('is a symbolic link');
});

test('a folder and a pipe are refused, without waiting for a writer', () => {
  mkdirSync(join(dir, 'folder'), { mode: 0o700 });
  expect(refusal(join(dir, 'folder'))).toBe('is not a regular file');
  execFileSync('mkfifo', ['-m', '600', join(dir, 'pipe')]);
  expect(refusal(join(dir, 'pipe'))).toBe('is not a regular file');
});

test.each([
  ['empty', '', 'is empty'],
  ['of white space', ' \n\t\n', 'is empty'],
  ['of two lines', `${KEY}\n${KEY}`, 'must hold one line of printable ASCII characters without spaces'],
  [
    'with a character that no header takes',
    `${KEY}ä`,
    'must hold one line of printable ASCII characters without spaces',
  ],
  ['huge', KEY.repeat(6000), 'has more than 64 KiB'],
])('a file that is %s is refused', (_name, content, reason) => {
  expect(refusal(keyIn('key', content))).toBe(reason);
});

test.each([
  [0o777, '0777'],
  [0o1777, '01777'],
  [0o770, '0770'],
  [0o702, '0702'],
])('a file in a folder of mode %o is refused; that it is sticky and root’s is no excuse', (mode, shown) => {
  const file = keyIn('key');
  chmodSync(dir, mode);
  expect(refusal(file)).toContain(`lies in ${dir} of mode ${shown}: group or others can write there`);
});

test('a folder further up that others can write to is refused unless it is sticky, by its real name too', () => {
  const safe = join(dir, 'open', 'safe');
  mkdirSync(safe, { recursive: true, mode: 0o700 });
  writeFileSync(join(safe, 'key'), KEY, { mode: 0o600 });
  chmodSync(join(dir, 'open'), 0o1777);
  expect(readKeyFile(join(safe, 'key'))).toBe(KEY);
  chmodSync(join(dir, 'open'), 0o777);
  const reason = `lies below ${join(dir, 'open')} of mode 0777: others can write there`;
  expect(refusal(join(safe, 'key'))).toBe(reason);
  symlinkSync(safe, join(dir, 'alias'));
  expect(refusal(join(dir, 'alias', 'key'))).toBe(reason);
});

test('a file that is not there, or behind a file, is told by name', () => {
  expect(refusal(join(dir, 'absent'))).toBe('does not exist');
  expect(refusal(join(keyIn('key'), 'below'))).toBe('cannot be opened (ENOTDIR)');
});

const asRoot = process.geteuid?.() === 0 ? test : test.skip;
asRoot('a file or a folder of another user is refused', () => {
  const file = keyIn('key');
  chownSync(file, 4242, 0);
  expect(refusal(file)).toBe('belongs to user 4242, who is neither this one nor root');
  chownSync(file, 0, 0);
  chownSync(dir, 4242, 0);
  expect(refusal(file)).toBe(`lies below ${dir}, which belongs to user 4242, neither this one nor root`);
});
