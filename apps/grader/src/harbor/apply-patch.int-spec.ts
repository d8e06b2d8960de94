import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeNeeding, missingTestImage, testImage } from '@assay/testing';
import { GradingBench } from '../harness/grading-bench';
import { GOOD_PATCH, greetingTask, taskWithTest } from '../harness/greeting-task';

/** What git makes of changes to the task's workspace. */
async function patchOf(change: (dir: string) => Promise<void>): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'assay-patch-'));
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], { cwd: dir }).toString();
  try {
    git('init', '--quiet');
    await writeFile(join(dir, 'greeting.txt'), 'hello\n');
    await writeFile(join(dir, 'old.txt'), 'old\n');
    git('add', '--all');
    git('commit', '--quiet', '-m', 'base');
    await change(dir);
    git('add', '--all');
    return git('diff', '--cached', '--binary', '--full-index');
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

const SHOW = [
  'cd "$APP_DIR"',
  'find . -mindepth 1 -not -path "./.git*" | sort',
  'for f in $(find . -type f -not -path "./.git*" | sort); do printf "%s: " "$f"; od -An -tx1 "$f" | tr -d " \\n"; echo; done',
  'test -x old.txt && echo old.txt is executable',
  'test -L link && readlink link',
  'echo 1 > "$v/reward.txt"',
];

const KINDS = [
  { name: 'process', missing: null },
  { name: 'docker', missing: missingTestImage() },
] as const;

describe.each(KINDS)('a patch in the $name sandbox', ({ name, missing }) => {
  describeNeeding(missing, 'with what it needs', () => {
    let bench: GradingBench;
    beforeAll(async () => {
      bench = await GradingBench.open(name, name === 'docker' ? testImage() : null);
    });
    afterAll(async () => {
      expect(await bench.left()).toEqual([]);
      await bench.close();
    });

    const after = async (patch: string, files = taskWithTest(...SHOW)): Promise<string[]> => {
      const result = await bench.harbor(files, { patch });
      expect(result.outcome).toMatchObject({ kind: 'graded' });
      return ((await bench.content(result, 'grade_log')) ?? '').trimEnd().split('\n');
    };

    test('changes, adds in new folders, deletes, and makes binary files', async () => {
      const patch = await patchOf(async (dir) => {
        await writeFile(join(dir, 'greeting.txt'), Buffer.from([0, 255, 13, 10]));
        await rm(join(dir, 'old.txt'));
        execFileSync('mkdir', ['-p', join(dir, 'a/b')]);
        await writeFile(join(dir, 'a/b/new file.txt'), 'new\r\n');
      });
      const shown = await after(
        patch,
        taskWithTest('cd "$APP_DIR"; find . -type f | sort; od -An -tx1 greeting.txt a/b/*; echo 1 > "$v/reward.txt"'),
      );
      expect(shown).toEqual(['./a/b/new file.txt', './greeting.txt', ' 00 ff 0d 0a 6e 65 77 0d 0a']);
    });

    test('renames, makes executable, and makes links', async () => {
      const patch = await patchOf(async (dir) => {
        await rename(join(dir, 'greeting.txt'), join(dir, 'welcome.txt'));
        await chmod(join(dir, 'old.txt'), 0o755);
        await symlink('../elsewhere', join(dir, 'link'));
      });
      expect(await after(patch)).toEqual([
        './link',
        './old.txt',
        './welcome.txt',
        './old.txt: 6f6c640a',
        './welcome.txt: 68656c6c6f0a',
        'old.txt is executable',
        '../elsewhere',
      ]);
    });

    test('takes away the folder that it empties', async () => {
      const files = { ...taskWithTest(...SHOW), 'environment/app/deep/er/only.txt': 'x\n' };
      const patch =
        'diff --git a/deep/er/only.txt b/deep/er/only.txt\ndeleted file mode 100644\n--- a/deep/er/only.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n';
      expect(await after(patch, files)).toEqual([
        './greeting.txt',
        './old.txt',
        './greeting.txt: 68656c6c6f0a',
        './old.txt: 6f6c640a',
      ]);
    });

    test('turns files, folders and links into each other, and writes through none of them', async () => {
      const files = {
        ...taskWithTest(
          'cd "$APP_DIR"',
          'find . -mindepth 1 -not -path "./.git*" | sort',
          'readlink to-link; cat d1/f link-to-dir/g file-to-dir/x',
          'echo 1 > "$v/reward.txt"',
        ),
        'environment/app/d1/f': 'f\n',
        'environment/app/to-link/a': 'a\n',
        'environment/app/to-link/b/c': 'c\n',
        'environment/app/file-to-dir': 'file\n',
      };
      // The context's own link: files of a test's task are files.
      const patch = await patchOf(async (dir) => {
        await mkdir(join(dir, 'd1'));
        await writeFile(join(dir, 'd1/f'), 'f\n');
        await mkdir(join(dir, 'to-link/b'), { recursive: true });
        await writeFile(join(dir, 'to-link/a'), 'a\n');
        await writeFile(join(dir, 'to-link/b/c'), 'c\n');
        await writeFile(join(dir, 'file-to-dir'), 'file\n');
        execFileSync('git', ['add', '--all'], { cwd: dir });
        execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', 'commit', '-qm', 'more'], {
          cwd: dir,
        });
        await rm(join(dir, 'to-link'), { recursive: true });
        await symlink('d1', join(dir, 'to-link'));
        await rm(join(dir, 'file-to-dir'));
        await mkdir(join(dir, 'file-to-dir'));
        await writeFile(join(dir, 'file-to-dir/x'), 'x\n');
        await mkdir(join(dir, 'link-to-dir'));
        await writeFile(join(dir, 'link-to-dir/g'), 'g\n');
      });
      expect(await after(patch, files)).toEqual([
        './d1',
        './d1/f',
        './file-to-dir',
        './file-to-dir/x',
        './greeting.txt',
        './link-to-dir',
        './link-to-dir/g',
        './old.txt',
        './to-link',
        'd1',
        'f',
        'g',
        'x',
      ]);
    });

    test('deletes more files than one command line can name', async () => {
      const many = Array.from({ length: 3_000 }, (_, n) => `many/${'long-name-'.repeat(8)}${n}.txt`);
      const files = {
        ...taskWithTest('cd "$APP_DIR"', 'find . -type f | sort', 'echo 1 > "$v/reward.txt"'),
        ...Object.fromEntries(many.map((path) => [`environment/app/${path}`, 'x\n'])),
      };
      const patch = many
        .map(
          (path) =>
            `diff --git a/${path} b/${path}\ndeleted file mode 100644\n--- a/${path}\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n`,
        )
        .join('');
      expect(await after(patch, files)).toEqual(['./greeting.txt', './old.txt']);
    });

    test('makes files and links whose names are no text, with the bytes of their names', async () => {
      const patch = await patchOf(async (dir) => {
        const make = 'n="$(printf "l\\351")"; mkdir "$n"; echo in > "$n/$n"; ln -s greeting.txt "to-$n"';
        execFileSync('sh', ['-c', make], { cwd: dir });
        await rm(join(dir, 'old.txt'));
      });
      expect(patch).toContain('"b/l\\351/l\\351"');
      const show =
        'cd "$APP_DIR"; find . -mindepth 1 -printf "%y %p %l\\n" | od -An -c | tr -d " \\n"; echo; cat to-l*';
      const shown = await after(patch, taskWithTest(show, 'echo 1 > "$v/reward.txt"'));
      expect(shown.at(-1)).toBe('hello');
      const found = shown[0]?.split('\\n').filter((line) => line !== '');
      expect(found?.sort()).toEqual(['d./l351', 'f./greeting.txt', 'f./l351/l351', 'l./to-l351greeting.txt']);
    });

    test('is not turned by the workspace’s own git configuration', async () => {
      const files = {
        ...greetingTask(),
        'environment/app/.gitattributes': '*.txt text eol=crlf\n',
        'environment/app/.git/config': '[core]\n\tautocrlf = true\n[apply]\n\twhitespace = error-all\n',
        'environment/app/.git/HEAD': 'ref: refs/heads/main\n',
      };
      const { outcome } = await bench.harbor(files, { patch: GOOD_PATCH.replace('world', 'world  ') });
      expect(outcome).toMatchObject({ kind: 'graded', verdict: 'UNRESOLVED' });
      expect((await bench.harbor(files, { patch: GOOD_PATCH })).outcome).toMatchObject({ verdict: 'RESOLVED' });
    });

    test('applies wholly or not at all, and nowhere else', async () => {
      const half = `${GOOD_PATCH}${GOOD_PATCH.replaceAll('greeting', 'absent')}`;
      const outside = GOOD_PATCH.replaceAll('greeting.txt', '../greeting.txt');
      for (const patch of [half, outside, 'not a patch\n']) {
        const { outcome } = await bench.harbor(greetingTask(), { patch, origin: 'prediction' });
        expect(outcome).toMatchObject({ kind: 'failed', failure: { code: 'patch_apply_failed' } });
      }
    });

    test('is judged, and the verdict told', async () => {
      const result = await bench.harbor(greetingTask(), { patch: GOOD_PATCH });
      expect(result.outcome).toMatchObject({ kind: 'graded', verdict: 'RESOLVED' });
      expect(await bench.content(result, 'grade_log')).toBe('testing hello world\n');
    });
  });
});
