import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from './output';
import { readTokenFile } from './token-file';

let dir: string;
let file: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'assay-token-'));
  file = join(dir, 'token');
});
afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

function refusal(path: string): string {
  try {
    readTokenFile(path);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  throw new Error('expected a refusal');
}

test.each(['canary', 'canary\n', 'canary\r\n', 'canary \n\n'])('the token is %j without its end', (content) => {
  writeFileSync(file, content);
  expect(readTokenFile(file)).toBe('canary');
});

test.each(['canary\ncanary\n', 'canary\0', 'can ary', 'canary\u00e4', ' canary', 'canary\u2028x', '\u001b[31mcanary'])(
  'a file with %j is refused by its name, and its content is not shown',
  (content) => {
    writeFileSync(file, content);
    const message = refusal(file);
    expect(message).toContain(`API token file ${file}: expected one line of printable ASCII characters`);
    expect(message).not.toContain('canary');
  },
);

test('an empty file, a folder, a device, a huge file and none at all are told apart', () => {
  writeFileSync(file, '\n');
  expect(refusal(file)).toContain('the file is empty');
  expect(refusal(dir)).toBe(
    `API token file ${dir}: expected a file, but it is a folder (--token-file or ASSAY_API_TOKEN_FILE)`,
  );
  expect(refusal('/dev/zero')).toContain('it is a device or socket');
  writeFileSync(file, 'x'.repeat(65_537));
  expect(refusal(file)).toContain('the file has 65537 bytes');
  expect(refusal(join(dir, 'none'))).toContain('it is not there');
  expect(refusal(join(file, 'below'))).toContain('its path leads through a file');
});
