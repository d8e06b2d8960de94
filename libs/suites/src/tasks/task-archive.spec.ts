import { withTempDir } from '@assay/testing';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { type Header, pack } from 'tar-stream';
import { unpackTasks } from './task-archive';

type Member = Partial<Header> & { readonly name: string; readonly content?: string };

async function tar(members: readonly Member[]): Promise<Buffer> {
  const packing = pack();
  for (const { content, ...header } of members) {
    if (content === undefined) packing.entry({ type: 'directory', ...header });
    else packing.entry(header, content);
  }
  packing.finalize();
  return buffer(packing);
}

const unpacked = <T>(
  bytes: Buffer,
  work: (unpacking: ReturnType<typeof unpackTasks>, dir: string) => Promise<T>,
  bounds?: { bytes: number; members: number },
) =>
  withTempDir(async (dir) => {
    const file = join(dir, 'tasks.tar.gz');
    await writeFile(file, bytes);
    const into = join(dir, 'into');
    return work(unpackTasks(file, into, bounds), into);
  });

const text = (name: string, content = 'x', more: Partial<Header> = {}): Member => ({ name, content, ...more });

test('the tasks are the folders of instructions; files keep their content and whether they may be run', async () => {
  const members = [
    { name: './' },
    { name: './tasks/' },
    text('./tasks/0a/one/instruction.md', 'do it'),
    text('./tasks/0a/one/tests/test.sh', '#!/bin/sh\n', { mode: 0o755 }),
    { name: './tasks/0a/one/environment/empty/' },
    text('tasks/0b/two/instruction.md'),
  ];
  await unpacked(gzipSync(await tar(members)), async (unpacking, dir) => {
    const folders = await unpacking;
    expect([...folders]).toEqual([
      ['one', join(dir, 'tasks/0a/one')],
      ['two', join(dir, 'tasks/0b/two')],
    ]);
    expect(await readFile(join(dir, 'tasks/0a/one/instruction.md'), 'utf8')).toBe('do it');
    expect((await stat(join(dir, 'tasks/0a/one/tests/test.sh'))).mode & 0o777).toBe(0o755);
    expect((await stat(join(dir, 'tasks/0a/one/instruction.md'))).mode & 0o777).toBe(0o644);
    expect(await readdir(join(dir, 'tasks/0a/one/environment'))).toEqual(['empty']);
  });
});

test('what lies beside the tasks is not written: packages, other folders, links among them', async () => {
  const members: Member[] = [
    text('tasks/packages/org/three/instruction.md'),
    text('registry.json'),
    { name: 'latest', type: 'symlink', linkname: '/etc' },
    { name: 'tasks/0z', type: 'symlink', linkname: '/etc' },
    text('tasks/0a/one/instruction.md'),
  ];
  await unpacked(gzipSync(await tar(members)), async (unpacking, dir) => {
    expect([...(await unpacking).keys()]).toEqual(['one']);
    expect(await readdir(dir)).toEqual(['tasks']);
    expect(await readdir(join(dir, 'tasks'))).toEqual(['0a']);
  });
});

test.each<[string, Member[], string]>([
  ['a way out', [text('tasks/../../evil')], '"tasks/../../evil" is no plain relative path'],
  ['an absolute name', [text('/etc/cron.d/evil')], '"/etc/cron.d/evil" is no plain relative path'],
  [
    'a link in a task',
    [{ name: 'tasks/0a/one/x', type: 'symlink', linkname: '/etc/passwd' }],
    '"tasks/0a/one/x" is a symlink: expected a file or folder',
  ],
  [
    'a hard link in a task',
    [{ name: 'tasks/0a/one/x', type: 'link', linkname: 'tasks/0a/one/y' }],
    '"tasks/0a/one/x" is a link: expected a file or folder',
  ],
  [
    'a device in a task',
    [{ name: 'tasks/0a/one/x', type: 'character-device' }],
    '"tasks/0a/one/x" is a character-device: expected a file or folder',
  ],
  ['a file twice', [text('tasks/0a/one/x'), text('tasks/0a/one/x')], '"tasks/0a/one/x" occurs twice'],
  [
    'a task twice',
    [text('tasks/0a/one/instruction.md'), text('tasks/0b/one/instruction.md')],
    'the task one occurs twice',
  ],
  [
    'a name of a task that is none',
    [text('tasks/0a/two words/instruction.md')],
    '"two words" is a name that no instance',
  ],
  ['a file that is a folder too', [text('tasks/0a/one'), text('tasks/0a/one/x')], 'EEXIST'],
])('%s is refused', async (_, members, message) => {
  await unpacked(gzipSync(await tar(members)), async (unpacking) => {
    await expect(unpacking).rejects.toMatchObject({ code: 'archive_invalid', blame: 'task' });
    await expect(unpacking).rejects.toThrow(message);
  });
});

test('a small file does not fill the disk: bytes and members are bounded', async () => {
  const bomb = gzipSync(await tar([text('tasks/0a/one/zeros', '0'.repeat(5_000_000))]));
  expect(bomb.length).toBeLessThan(20_000);
  await unpacked(
    bomb,
    async (unpacking) => {
      await expect(unpacking).rejects.toThrow('it unpacks to more than 1000000 bytes');
    },
    { bytes: 1_000_000, members: 10 },
  );
  const many = gzipSync(await tar([text('tasks/0a/a/b'), text('elsewhere'), text('tasks/0a/a/c')]));
  await unpacked(
    many,
    async (unpacking) => {
      await expect(unpacking).rejects.toThrow('it has more than 2 members');
    },
    { bytes: 1_000, members: 2 },
  );
});

test('what is cut off, or no archive at all, is refused', async () => {
  const whole = gzipSync(await tar([text('tasks/0a/one/instruction.md', 'x'.repeat(100_000))]));
  for (const bytes of [whole.subarray(0, whole.length / 2), Buffer.from('no archive'), Buffer.alloc(0)]) {
    await unpacked(bytes, async (unpacking) => {
      await expect(unpacking).rejects.toMatchObject({ code: 'archive_invalid' });
    });
  }
});

test('a tar that ends within a member is refused, and nothing waits for the rest', async () => {
  const whole = await tar([text('tasks/0a/one/instruction.md', 'x'.repeat(100_000))]);
  await unpacked(gzipSync(whole.subarray(0, 20_000)), async (unpacking) => {
    await expect(unpacking).rejects.toMatchObject({ code: 'archive_invalid' });
  });
});
