import { execFileSync } from 'node:child_process';
import { chmod, lstat, mkdir, readdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentError } from '@assay/failures';
import { SandboxHarness, shell, writeTree, type Adapter } from './sandbox-harness';

const BOUNDS = { maxBytes: 50_000_000, maxEntries: 10_000 };

/** How files go into every sandbox and out of it. */
export function filesConformance(adapter: Adapter): void {
  describe('files in and out', () => {
    const harness = new SandboxHarness(adapter);
    beforeAll(() => harness.open());
    afterAll(() => harness.close());

    test('a folder goes in with its modes and its inner links', async () => {
      const sandbox = await harness.sandbox();
      const dir = await harness.hostDir();
      await writeTree(dir, { 'run.sh': '#!/bin/sh\necho ran "$(cat inner/data)"\n', 'inner/data': 'deep' });
      await symlink('inner/data', join(dir, 'link'));
      await sandbox.putFolder(dir, sandbox.paths.tests);
      const script = 'cd "$TESTS_DIR" && ./run.sh && cat link && stat -c %a run.sh inner/data';
      expect((await sandbox.exec(shell(script))).output.toString()).toBe('ran deep\ndeep755\n644\n');
    });

    test('a folder with a link that leads out is refused as a fault of the task', async () => {
      const sandbox = await harness.sandbox();
      const dir = await harness.hostDir();
      await symlink('/etc/passwd', join(dir, 'escape'));
      await expect(sandbox.putFolder(dir, sandbox.paths.tests)).rejects.toMatchObject({
        blame: 'task',
        code: 'link_escapes',
      });
    });

    test('a file goes in with its mode, its folders made, and comes out byte for byte', async () => {
      const sandbox = await harness.sandbox();
      const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, i) => i % 256));
      const path = `${sandbox.workdir}/new/deep/data.bin`;
      await sandbox.putFile(path, bytes, 0o640);
      expect((await sandbox.exec(shell(`stat -c %a ${path}`))).output.toString()).toBe('640\n');
      expect(await sandbox.getFile(path, 100_000)).toEqual(bytes);
    });

    test('what is absent, a folder, a link, a pipe or behind one of these is no file', async () => {
      const sandbox = await harness.sandbox();
      await sandbox.exec(shell('ln -s /etc/passwd link; ln -s greeting.txt inner; mkfifo pipe; mkdir folder'));
      for (const name of ['absent', 'no/such/folder', 'folder', 'link', 'inner', 'pipe', 'greeting.txt/below']) {
        expect([name, await sandbox.getFile(`${sandbox.workdir}/${name}`, 1_000)]).toEqual([name, null]);
      }
    });

    test('a file that is longer than the bound is refused', async () => {
      const sandbox = await harness.sandbox();
      await sandbox.exec(shell('head -c 1001 /dev/zero > big'));
      const path = `${sandbox.workdir}/big`;
      await expect(sandbox.getFile(path, 1_000)).rejects.toMatchObject({ code: 'file_too_large' });
      expect(await sandbox.getFile(path, 1_001)).toHaveLength(1_001);
    });

    test('a folder lists its own names only, an absent one none', async () => {
      const sandbox = await harness.sandbox();
      expect(await sandbox.list(sandbox.workdir)).toEqual(['greeting.txt', 'src']);
      expect(await sandbox.list(`${sandbox.workdir}/absent`)).toEqual([]);
      expect(await sandbox.list(`${sandbox.workdir}/greeting.txt`)).toEqual([]);
    });

    test('a folder comes out with files, modes and links as links; .git, at any depth, and pipes stay', async () => {
      const sandbox = await harness.sandbox();
      await sandbox.exec(
        shell('mkdir -p .git a/.git a/b; echo x > .git/HEAD; echo x > a/.git/config; ln -s /no/where b; mkfifo a/pipe'),
      );
      const dir = await harness.hostDir();
      await sandbox.fetchFolder(sandbox.workdir, dir, BOUNDS);
      expect((await readdir(dir, { recursive: true })).sort()).toEqual(
        ['a', 'a/b', 'b', 'greeting.txt', 'src', 'src/tool.sh'].sort(),
      );
      expect(await readlink(join(dir, 'b'))).toBe('/no/where');
      expect((await lstat(join(dir, 'src/tool.sh'))).mode & 0o777).toBe(0o755);
    });

    test('hard links come out as files of their own, also those to what stays behind', async () => {
      const sandbox = await harness.sandbox();
      await sandbox.exec(
        shell('mkdir .git; echo kept > .git/index; ln .git/index outside.txt; ln greeting.txt again.txt'),
      );
      const dir = await harness.hostDir();
      await sandbox.fetchFolder(sandbox.workdir, dir, BOUNDS);
      expect(await readFile(join(dir, 'again.txt'), 'utf8')).toBe('hello\n');
      expect(await readFile(join(dir, 'outside.txt'), 'utf8')).toBe('kept\n');
    });

    test('a hard link to a symbolic link never brings in what it points to on the host', async () => {
      const sandbox = await harness.sandbox();
      const secret = join(await harness.hostDir(), 'secret');
      await writeFile(secret, 'of the host');
      await sandbox.exec(shell(`ln -s ${secret} one; ln -P one two; ls -l`));
      const dir = await harness.hostDir();
      await sandbox.fetchFolder(sandbox.workdir, dir, BOUNDS);
      expect(await readlink(join(dir, 'one'))).toBe(secret);
      expect((await lstat(join(dir, 'two'))).isSymbolicLink()).toBe(true);
      expect(await readlink(join(dir, 'two'))).toBe(secret);
    });

    test('files that their owner may not read, and folders that he may not enter, come out too', async () => {
      const sandbox = await harness.sandbox();
      await sandbox.exec(shell('mkdir closed; echo x > closed/file; chmod 000 greeting.txt closed/file closed'));
      const dir = await harness.hostDir();
      await sandbox.fetchFolder(sandbox.workdir, dir, BOUNDS);
      expect(await readFile(join(dir, 'greeting.txt'), 'utf8')).toBe('hello\n');
      expect(await readFile(join(dir, 'closed/file'), 'utf8')).toBe('x\n');
    });

    test('an absent folder brings nothing; one that became a link is the agent s fault', async () => {
      const sandbox = await harness.sandbox();
      const dir = await harness.hostDir();
      await sandbox.fetchFolder(`${sandbox.workdir}/absent`, dir, BOUNDS);
      expect(await readdir(dir)).toEqual([]);
      await sandbox.exec(shell('ln -s /etc replaced'));
      await expect(sandbox.fetchFolder(`${sandbox.workdir}/replaced`, dir, BOUNDS)).rejects.toMatchObject({
        blame: 'agent',
        code: 'workspace_replaced',
      });
    });

    test('a folder beyond its bounds is refused before it fills the host, sparse files and hard links counted', async () => {
      const sandbox = await harness.sandbox();
      const fetchInto = async (maxBytes: number, maxEntries: number): Promise<void> => {
        await sandbox.fetchFolder(sandbox.workdir, await harness.hostDir(), { maxBytes, maxEntries });
      };
      await expect(fetchInto(1_000, 2)).rejects.toMatchObject({ blame: 'agent', code: 'workspace_too_large' });
      await sandbox.exec(shell('head -c 400 /dev/zero > a; for i in 1 2 3 4 5; do ln a a$i; done'));
      await expect(fetchInto(1_000, 100)).rejects.toMatchObject({ code: 'workspace_too_large' });
      const signal = AbortSignal.abort(new Error('over'));
      const fetching = sandbox.fetchFolder(sandbox.workdir, await harness.hostDir(), { ...BOUNDS, signal });
      await expect(fetching).rejects.toThrow(/^over$/);
      await sandbox.exec(shell('rm a*; truncate -s 200G sparse'));
      await expect(fetchInto(1_000_000, 100)).rejects.toMatchObject({ code: 'workspace_too_large' });
    });

    test('names that are no text come out as the bytes that they are', async () => {
      const sandbox = await harness.sandbox();
      const script = `
        for name in "$(printf 'latin\\351')" "$(printf 'utf\\303\\251')"; do
          mkdir "$name"; echo in > "$name/in"; ln -s "$name/in" "to-$name"
          echo long > "$name/$(head -c 200 /dev/zero | tr '\\0' x)$name"
        done`;
      expect((await sandbox.exec(shell(script))).exitCode).toBe(0);
      const dir = await harness.hostDir();
      await sandbox.fetchFolder(sandbox.workdir, dir, BOUNDS);
      const list = ['.', '!', '-path', './src*', '-printf', '%y %p %l\\n'];
      const found = execFileSync('find', list, { cwd: dir }).toString('latin1').split('\n').filter(Boolean).sort();
      const x = 'x'.repeat(200);
      const of = (name: string): string[] => [
        `d ./${name} `,
        `f ./${name}/in `,
        `f ./${name}/${x}${name} `,
        `l ./to-${name} ${name}/in`,
      ];
      expect(found).toEqual(['d . ', 'f ./greeting.txt ', ...of('latin\xe9'), ...of('utf\xc3\xa9')].sort());
    });

    test('parts of a folder go in as they are, in the place of others, with names that are no text', async () => {
      const sandbox = await harness.sandbox();
      await sandbox.exec(shell('echo old > file; ln -s /etc/passwd link; mkdir kept; echo own > kept/own'));
      const dir = await harness.hostDir();
      const make = `
        umask 077; echo new > file; echo run > run.sh; chmod 700 run.sh; ln -s nowhere link; mkdir -p kept deep/er; : > kept/empty
        n="$(printf 'l\\351')"; mkdir "$n"; head -c 3000000 /dev/zero > "$n/$n"; ln -s "$n" "deep/er/$n"; echo not > not-named`;
      execFileSync('sh', ['-c', make], { cwd: dir });
      const paths = ['file', 'run.sh', 'link', 'kept/empty', 'l\xe9/l\xe9', 'deep/er/l\xe9'];
      const { signal } = new AbortController();
      await sandbox.putParts({ hostDir: dir, paths, insideDir: sandbox.workdir, signal });
      const script = 'rm -r src greeting.txt; find . -type f -printf "f %m %p %s\\n" -o -type l -printf "l %p %l\\n"';
      const { output } = await sandbox.exec(shell(script));
      expect(output.toString('latin1').split('\n').filter(Boolean).sort()).toEqual([
        'f 644 ./file 4',
        'f 644 ./kept/empty 0',
        'f 644 ./kept/own 4',
        'f 644 ./l\xe9/l\xe9 3000000',
        'f 755 ./run.sh 4',
        'l ./deep/er/l\xe9 l\xe9',
        'l ./link nowhere',
      ]);
      expect((await sandbox.exec(shell('cat file kept/own'))).output.toString()).toBe('new\nown\n');
    });

    test('putting parts ends when its signal is raised, with its reason', async () => {
      const sandbox = await harness.sandbox();
      const dir = await harness.hostDir();
      await writeTree(dir, Object.fromEntries(Array.from({ length: 6_000 }, (_, n) => [`many/${n}`, 'x'])));
      const paths = (await readdir(join(dir, 'many'))).map((name) => `many/${name}`);
      const stop = new AbortController();
      const parts = { hostDir: dir, paths, insideDir: sandbox.workdir, signal: stop.signal };
      const putting = sandbox.putParts(parts).catch((error: unknown) => error);
      setTimeout(() => {
        stop.abort(new Error('stopped'));
      }, 30);
      expect(await putting).toBe(stop.signal.reason);
      expect((await sandbox.list(`${sandbox.workdir}/many`)).length).toBeLessThan(paths.length);
      await expect(sandbox.putParts(parts)).rejects.toBe(stop.signal.reason);
    });

    test('paths that are longer than a host can hold stay behind, or are refused as the fault of the agent', async () => {
      const sandbox = await harness.sandbox();
      const script = 'import os\nfor _ in range(20): os.mkdir("d" * 250); os.chdir("d" * 250)';
      expect((await sandbox.exec({ ...shell(''), command: ['python3', '-c', script] })).exitCode).toBe(0);
      const fetching = sandbox.fetchFolder(sandbox.workdir, await harness.hostDir(), BOUNDS);
      const end = await fetching.then(
        () => 'fetched',
        (error: unknown) => (error as AgentError).code,
      );
      expect(end).toBe(adapter.name === 'docker' ? 'fetched' : 'workspace_unreadable');
      await sandbox.destroy();
    });

    test('after a kill the files can still be read', async () => {
      const sandbox = await harness.sandbox();
      await sandbox.exec(shell('echo left > left.txt'));
      await sandbox.kill();
      expect((await sandbox.getFile(`${sandbox.workdir}/left.txt`, 100))?.toString()).toBe('left\n');
      const dir = await harness.hostDir();
      await sandbox.fetchFolder(sandbox.workdir, dir, BOUNDS);
      expect(await readdir(dir)).toContain('left.txt');
    });

    test('what goes into a folder that inside became a link never lands on the host', async () => {
      const sandbox = await harness.sandbox();
      const outside = await harness.hostDir();
      await chmod(outside, 0o777);
      await sandbox.exec(shell(`rm -rf "$TESTS_DIR"; ln -s ${outside} "$TESTS_DIR"; ln -s ${outside} there`));
      const dir = await harness.hostDir();
      await mkdir(join(dir, 'sub'));
      await writeFile(join(dir, 'file'), 'x');
      await sandbox.putFolder(dir, sandbox.paths.tests).catch(() => undefined);
      await sandbox.putFile(`${sandbox.workdir}/there/file`, Buffer.from('x')).catch(() => undefined);
      expect(await readdir(outside)).toEqual([]);
    });
  });
}
