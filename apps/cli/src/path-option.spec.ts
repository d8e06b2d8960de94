import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from './output';
import { requireFile, requireFolder, requireFolderPlace, requireWritable, textIn } from './path-option';

let dir: string;
const at = (name: string) => join(dir, name);

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'assay-paths-'));
  mkdirSync(at('folder'));
  writeFileSync(at('text'), 'schema: x\n');
  writeFileSync(at('empty'), '');
  writeFileSync(at('binary'), Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 1]));
  writeFileSync(at('latin'), Buffer.from('sch\u00e4ma', 'latin1'));
  writeFileSync(at('huge'), '');
  symlinkSync(at('loop'), at('loop'));
  symlinkSync(at('text'), at('link'));
  spawnSync('mkfifo', [at('pipe')]);
  spawnSync('truncate', ['-s', '17M', at('huge')]);
});
afterAll(() => {
  rmSync(dir, { recursive: true, force: true });
});

/** The one line that is told, without the folder of the test; null: none. */
function told(work: () => unknown): string | null {
  try {
    work();
    return null;
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    const { message } = error as UsageError;
    expect(message).not.toContain('\n');
    return message.replaceAll(dir, 'DIR');
  }
}
const policy = { option: '--policy', wanted: 'a release policy' };

describe('a file of text', () => {
  test('is its text, through a link too', () => {
    expect(textIn(policy, at('text'))).toBe('schema: x\n');
    expect(textIn(policy, at('link'))).toBe('schema: x\n');
  });

  test.each([
    ['folder', 'is a folder'],
    ['none', 'is not there'],
    ['text/below', 'leads through something that is no folder'],
    ['loop', 'is a link that leads to itself'],
    ['pipe', 'is a pipe'],
    ['empty', 'is empty'],
    ['binary', 'is no text'],
    ['latin', 'is no text'],
    ['huge', 'has 17825792 bytes'],
    ['n'.repeat(300), 'is too long a name'],
  ])('is no %s, and the line names option, path and expectation', (name, trouble) => {
    expect(told(() => textIn(policy, at(name)))).toBe(
      `--policy: expected a release policy, but DIR/${name} ${trouble}`,
    );
  });

  test('is no device, and no path without a name or with a NUL', () => {
    expect(told(() => textIn(policy, '/dev/zero'))).toContain('is a device or socket');
    expect(told(() => textIn(policy, ''))).toBe('--policy: expected a release policy, got ""');
    expect(told(() => textIn(policy, 'a\0b'))).toBe('--policy: expected a release policy, got "a\\u0000b"');
  });
});

test('a file that is read as a stream may be a pipe, and no folder', () => {
  const input = { option: '--in', wanted: 'a file' };
  for (const name of ['text', 'empty', 'binary', 'pipe'])
    expect(
      told(() => {
        requireFile(input, at(name));
      }),
    ).toBeNull();
  expect(
    told(() => {
      requireFile(input, at('folder'));
    }),
  ).toBe('--in: expected a file, but DIR/folder is a folder');
});

test('a folder is no file', () => {
  const data = { option: '--data', wanted: 'a folder of data sets' };
  expect(
    told(() => {
      requireFolder(data, at('folder'));
    }),
  ).toBeNull();
  expect(
    told(() => {
      requireFolder(data, at('text'));
    }),
  ).toBe('--data: expected a folder of data sets, but DIR/text is a file');
  expect(
    told(() => {
      requireFolder(data, at('none'));
    }),
  ).toBe('--data: expected a folder of data sets, but DIR/none is not there');
});

test.each([
  ['folder', 'is a folder'],
  ['none/x.json', 'is in a folder that is not there'],
  ['text/x.json', 'leads through something that is no folder'],
  ['new/', 'names a folder'],
])('nothing can be written to %s', (name, trouble) => {
  expect(
    told(() => {
      requireWritable('--json', `${dir}/${name}`);
    }),
  ).toBe(`--json: expected a file that can be written, but DIR/${name} ${trouble}`);
});

test.each(['text', 'link', 'new.json', 'folder/new.json'])('something can be written to %s', (name) => {
  expect(
    told(() => {
      requireWritable('--json', at(name));
    }),
  ).toBeNull();
  expect(
    told(() => {
      requireWritable('--json', '/dev/null');
    }),
  ).toBeNull();
});

test('a folder may be there, or be made below one that is', () => {
  for (const name of ['folder', 'a', 'a/b/c'])
    expect(
      told(() => {
        requireFolderPlace('--out', at(name));
      }),
    ).toBeNull();
  expect(
    told(() => {
      requireFolderPlace('--out', at('text'));
    }),
  ).toBe('--out: expected a folder that can be made or written to, but DIR/text is a file');
  expect(
    told(() => {
      requireFolderPlace('--out', at('text/a/b'));
    }),
  ).toBe(
    '--out: expected a folder that can be made or written to, but DIR/text/a/b leads through something that is no folder',
  );
});

test('what this user may not read or write is told so', () => {
  chmodSync(at('folder'), 0o555);
  chmodSync(dir, 0o755);
  chmodSync(at('text'), 0o000);
  // The owner of everything may do everything, so somebody else asks.
  const uid = process.getuid?.() === 0 ? 65_534 : (process.getuid?.() ?? 0);
  const script = `
    const { textIn, requireWritable, requireFolderPlace } = require(${JSON.stringify(join(__dirname, 'path-option.ts'))});
    const dir = ${JSON.stringify(dir)};
    for (const work of [
      () => textIn({ option: '--policy', wanted: 'a release policy' }, dir + '/text'),
      () => requireWritable('--json', dir + '/folder/x'),
      () => requireFolderPlace('--out', dir + '/folder/x/y'),
    ]) try { work(); console.log('nothing'); } catch (error) { console.log(error.message.split('/').at(-1)); }`;
  const hook = join(__dirname, '../../../libs/service-kit/src/harness/typescript-hook.cjs');
  const { stdout } = spawnSync(process.execPath, ['--require', hook, '-e', script], { encoding: 'utf8', uid });
  expect(stdout.trim().split('\n')).toEqual([
    'text may not be used so by this user',
    'x may not be used so by this user',
    'y may not be used so by this user',
  ]);
  chmodSync(at('text'), 0o644);
  chmodSync(at('folder'), 0o755);
});

test.each([
  [
    'a folder to make',
    () => {
      requireFolderPlace('--out', '');
    },
    '--out: expected a folder that can be made or written to, got ""',
  ],
  [
    'a file to write',
    () => {
      requireWritable('--json', '');
    },
    '--json: expected a file that can be written, got ""',
  ],
])('%s has a name', (_, work, line) => {
  expect(told(work)).toBe(line);
});

test.each(['/proc/x', '/proc/x/y', '/proc'])('no folder is made in %s, whatever its rights say', (path) => {
  expect(
    told(() => {
      requireFolderPlace('--out', path);
    }),
  ).toMatch(
    /^--out: expected a folder that can be made or written to, but \/proc\S* (is where no folder can be made|may not be used so by this user)$/,
  );
});

test('a folder that could be made leaves nothing behind', () => {
  requireFolderPlace('--out', at('folder'));
  requireFolderPlace('--out', at('folder/new/below'));
  expect(readdirSync(at('folder'))).toEqual([]);
});
