import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Sandbox } from '@assay/sandbox';
import { AgentBench, inside } from '../harness/agent-bench';
import { WorkspaceRecorder } from './workspace-recorder';

const GIT_ENV = { PATH: process.env['PATH'] ?? '', GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
const BOUNDS = { maxBytes: 100_000_000, maxEntries: 100_000 };
const BASE = {
  'a.txt': 'one\ntwo\nthree\n',
  'dir/b.txt': 'b\n',
  'run.sh': '#!/bin/sh\n',
  'data.bin': Buffer.from([0, 1, 2, 255, 0]),
};

describe('the patch of a workspace', () => {
  let bench: AgentBench;
  beforeAll(async () => {
    bench = await AgentBench.open();
  });
  afterAll(() => bench.close());

  /** What a script changes in a workspace of these files, as a patch. */
  async function patchOf(script: string, files: Record<string, string | Buffer> = BASE, before = 'true') {
    const sandbox = await bench.sandbox(files);
    await inside(sandbox, before);
    const untouched = await copyOf(sandbox);
    const recorder = await WorkspaceRecorder.record(sandbox, await bench.folder(), 'kept');
    await inside(sandbox, script);
    await sandbox.kill();
    const patch = await recorder.patch(sandbox);
    return { sandbox, patch, text: patch?.toString('latin1') ?? '', untouched };
  }

  async function copyOf(sandbox: Sandbox): Promise<string> {
    const dir = await bench.folder();
    await sandbox.fetchFolder(sandbox.workdir, dir, BOUNDS);
    return dir;
  }

  /** Names, modes, link targets and content below a folder. */
  function fingerprint(dir: string): string {
    const script =
      'find . -mindepth 1 \\( -type l -o -type f \\) -print0 | sort -z | xargs -0 -r sh -c \'for f; do stat -c "%A %N" -- "$f"; [ -L "$f" ] || sha256sum -- "$f"; done\' sh';
    return execFileSync('sh', ['-c', script], { cwd: dir, env: GIT_ENV, encoding: 'utf8' });
  }

  test.each([
    ['an added file', 'echo > new'],
    ['a removed file', 'rm a.txt'],
    ['a mode', 'chmod +x a.txt'],
    ['one byte of the same length', 'printf "onE\\ntwo\\nthree\\n" > a.txt'],
    ['a file that became a link to the same', 'mv a.txt c.txt; ln -s c.txt a.txt'],
    ['a folder that became a file', 'rm -r dir; echo > dir'],
  ])('%s alone is a change', async (_name, script) => {
    expect((await patchOf(script)).patch).not.toBeNull();
  });

  test('it is null when nothing changed, also when files were only touched or written again', async () => {
    const { patch } = await patchOf('touch a.txt; cp dir/b.txt x; cat x > dir/b.txt; rm x; mkdir empty');
    expect(patch).toBeNull();
  });

  test('applied by a plain git to an untouched copy it gives exactly what the agent left', async () => {
    const { sandbox, patch, untouched } = await patchOf(`
      printf 'no newline' > a.txt; rm dir/b.txt; chmod +x data.bin; printf '\\0new\\377' > new.bin; : > empty.txt
      printf 'a\\r\\nb\\r\\n' > crlf.txt; ln -s a.txt link; mkdir -p deep/er; echo x > deep/er/file; chmod -x run.sh
      printf '\\0\\1' > data.bin; ln -s /etc/passwd out`);
    execFileSync('git', ['apply', '-'], { cwd: untouched, env: GIT_ENV, input: patch! });
    expect(fingerprint(untouched)).toBe(fingerprint(await copyOf(sandbox)));
  });

  test('odd names survive', async () => {
    const names = [
      `with blank`,
      `quote"s`,
      `single's`,
      'back\\slash',
      'ümläut',
      'new\nline',
      '-dash',
      'a:b',
      'con',
      'x.',
    ];
    const script = names.map((name) => `printf x > ${JSON.stringify(`./${name}`).replace(/\\n/, '\n')}`).join('\n');
    const { sandbox, patch, untouched } = await patchOf(script);
    execFileSync('git', ['apply', '-'], { cwd: untouched, env: GIT_ENV, input: patch! });
    expect(fingerprint(untouched)).toBe(fingerprint(await copyOf(sandbox)));
    expect(fingerprint(untouched).match(/^[0-9a-f\\]+ {2}\.\//gm)).toHaveLength(
      names.length + Object.keys(BASE).length,
    );
  });

  test.each([
    ['no repository', 'true', 'true'],
    ['commits', 'git init -q . && git add -A && git -c user.name=x -c user.email=x@x commit -qm base', 'git add -A'],
    ['commits and a removed .git', 'git init -q . && git add -A', 'rm -rf .git'],
    ['a broken .git', 'git init -q .', 'rm -rf .git; echo nonsense > .git'],
    ['an index that hides the file', 'git init -q . && git add -A', 'git update-index --assume-unchanged a.txt'],
  ])('with %s it is the same', async (_name, before, script) => {
    const { text } = await patchOf(`echo four >> a.txt; ${script}`, BASE, before);
    expect(text).toBe(
      [
        'diff --git a/a.txt b/a.txt',
        'index 4cb29ea38f70d7c61b2a3a25b02e3bdf44905402..f384549cbeb481e437091320de6d1f2e15e11b4a 100644',
        '--- a/a.txt',
        '+++ b/a.txt',
        '@@ -1,3 +1,4 @@',
        ' one',
        ' two',
        ' three',
        '+four',
        '',
      ].join('\n'),
    );
  });

  test('hooks, monitors, filters and external diffs of the workspace are never run', async () => {
    const canary = join(await bench.folder(), 'ran');
    const { text } = await patchOf(`
      git init -q .
      for hook in pre-commit post-index-change post-checkout fsmonitor; do
        printf '#!/bin/sh\\ntouch ${canary}\\n' > .git/hooks/$hook; chmod +x .git/hooks/$hook
      done
      git config core.fsmonitor "touch ${canary}"; git config filter.evil.clean "touch ${canary}; cat"
      git config diff.evil.command "touch ${canary}"; git config diff.evil.textconv "touch ${canary}; cat"
      git config core.hooksPath .git/hooks
      printf '* filter=evil diff=evil ident eol=crlf text working-tree-encoding=UTF-16\\n*.bin diff\\n' > .gitattributes
      printf '$Id$\\r\\n' >> a.txt`);
    expect(existsSync(canary)).toBe(false);
    expect(text).toContain('+$Id$\r\n');
    expect(text).toContain('b/.gitattributes');
  });

  test('a repository within the workspace is taken as the files that it holds', async () => {
    const { text } = await patchOf('git init -q sub; echo x > sub/file; mkdir -p odd/.GIT; echo x > odd/.GIT/config');
    expect(text).toContain('b/sub/file');
    expect(text).not.toMatch(/160000|\.git/i);
  });

  test('branches, merges, rebases, resets and stashes change nothing of what is taken: the files are', async () => {
    const before =
      'git init -qb main . && git config user.name x && git config user.email x@x && git add -A && git commit -qm 1';
    const { text } = await patchOf(
      `git checkout -qb side; echo side > side.txt; git add -A; git commit -qm side; git checkout -q main
       echo main > main.txt; git add -A; git commit -qm main; git merge -qm merged side; git tag t; git reset -q --soft HEAD~1
       echo gone > gone.txt; git stash -qu; git checkout -q --detach; git branch -D side >/dev/null; git gc -q --prune=now`,
      BASE,
      before,
    );
    expect([...text.matchAll(/^diff --git a\/(\S+)/gm)].map(([, name]) => name)).toEqual(['main.txt']);
  });

  test('files of a submodule are files, whether it was there before or is new', async () => {
    const before = `
      export GIT_CONFIG_GLOBAL=/dev/null; git init -q . && git config user.name x && git config user.email x@x
      mkdir ../origin; (cd ../origin; git init -q .; git config user.name x; git config user.email x@x; echo 1 > in; git add in; git commit -qm in)
      git -c protocol.file.allow=always submodule --quiet add "$PWD/../origin" old >/dev/null 2>&1; git add -A; git commit -qm base`;
    const script = `echo 2 > old/in; (cd old; git -c user.name=x -c user.email=x@x commit -qam two)
      git -c protocol.file.allow=always submodule --quiet add "$PWD/../origin" new >/dev/null 2>&1`;
    const { sandbox, text, patch, untouched } = await patchOf(script, BASE, before);
    expect([...text.matchAll(/^diff --git a\/(\S+)/gm)].map(([, name]) => name)).toEqual([
      '.gitmodules',
      'new/in',
      'old/in',
    ]);
    expect(text).not.toContain('160000');
    execFileSync('git', ['apply', '-'], { cwd: untouched, env: GIT_ENV, input: patch! });
    expect(fingerprint(untouched)).toBe(fingerprint(await copyOf(sandbox)));
  });

  test('links are links: out of the tree, in a ring, dangling, in place of a folder, and none is followed', async () => {
    const secret = await bench.folder({ 'secret.txt': 'of the host\n' });
    const { sandbox, text, patch, untouched } = await patchOf(
      `ln -s ${secret}/secret.txt out; ln -s ../../../../../etc up; ln -s . ring; ln -s b a-link; ln -s a-link b
       ln -s /nowhere dangling; rm -r dir; ln -s ${secret} dir`,
    );
    expect(text).not.toContain('of the host');
    expect(text.match(/^new file mode 120000/gm)).toHaveLength(7);
    execFileSync('git', ['apply', '-'], { cwd: untouched, env: GIT_ENV, input: patch! });
    expect(fingerprint(untouched)).toBe(fingerprint(await copyOf(sandbox)));
  });

  test.each([
    ['everything', `printf '*\\n' > .gitignore`, ['a.txt', 'dir/b.txt']],
    ['in a folder of its own', `printf '*\\n' > dir/.gitignore`, ['a.txt', 'dir/b.txt', 'new.txt']],
    ['by a negation', `printf '*.txt\\n!new.txt\\n' > .gitignore`, ['.gitignore', 'a.txt', 'dir/b.txt', 'new.txt']],
    ['by the sandbox s own exclude', 'git init -q .; echo "*" > .git/info/exclude', ['a.txt', 'dir/b.txt', 'new.txt']],
    [
      'by a configuration',
      'git init -q .; git config core.excludesFile "$PWD/a.txt"; echo "*" >> a.txt',
      ['a.txt', 'dir/b.txt', 'new.txt'],
    ],
    [
      'by an ignore file that is a link',
      'echo "*" > ../all; ln -s ../all .gitignore',
      ['.gitignore', 'a.txt', 'dir/b.txt', 'new.txt'],
    ],
  ])('what is ignored %s never hides a change of what was there', async (_name, script, names) => {
    const { text } = await patchOf(`echo x >> a.txt; rm dir/b.txt; echo x > new.txt; ${script}`);
    expect([...text.matchAll(/^diff --git a\/(\S+)/gm)].map(([, name]) => name).sort()).toEqual(names);
  });

  test('modes that git does not know change nothing, and take nothing from us', async () => {
    expect((await patchOf('chmod 4755 run.sh; chmod 600 a.txt; chmod 777 dir')).patch).toBeNull();
    const { text } = await patchOf('echo x >> a.txt; chmod 000 a.txt; chmod 000 dir');
    expect(text).toContain('+x');
    expect(text.match(/^diff --git/gm)).toHaveLength(1);
  });

  test('pipes, sockets and devices are no part of it', async () => {
    const { text } = await patchOf(
      'mkfifo pipe; python3 -c "import socket; socket.socket(socket.AF_UNIX).bind(\'sock\')"; echo x > file',
    );
    expect([...text.matchAll(/^diff --git a\/(\S+)/gm)].map(([, name]) => name)).toEqual(['file']);
  });

  test('names that are no text, or look like options of git, survive', async () => {
    const script = `
      printf x > "$(printf 'latin\\351')"; mkdir -- --help; printf x > ./--help/-rf; printf x > ':(top)magic'; printf x > 'glob*[a]?'
      printf x > '!bang'; printf x > '#hash'; printf x > ' lead'; printf x > 'trail '; printf x > "$(printf 'tab\\tcr\\r')"`;
    const { sandbox, patch, untouched } = await patchOf(script);
    execFileSync('git', ['apply', '-'], { cwd: untouched, env: GIT_ENV, input: patch! });
    expect(fingerprint(untouched)).toBe(fingerprint(await copyOf(sandbox)));
    expect(patch!.toString().match(/^new file/gm)).toHaveLength(9);
  });

  test('a file that is sparse and huge is refused as the fault of the agent before it comes to this host', async () => {
    await expect(patchOf('truncate -s 20G huge')).rejects.toMatchObject({
      blame: 'agent',
      code: 'workspace_too_large',
    });
  });

  test('what is new and ignored stays out, also leftovers of interpreters; what was there before is compared', async () => {
    const files = { ...BASE, '.gitignore': 'build/\n*.log\n', 'build/kept.txt': 'old\n', '__pycache__/a.pyc': 'old' };
    const { text } = await patchOf(
      'echo new > build/kept.txt; echo x > build/new.txt; echo x > x.log; echo new > __pycache__/a.pyc; echo x > y.pyc; mkdir -p .pytest_cache; echo x > .pytest_cache/z; echo x > seen.txt',
      files,
    );
    expect([...text.matchAll(/^diff --git a\/(\S+)/gm)].map(([, name]) => name)).toEqual([
      'build/kept.txt',
      'seen.txt',
    ]);
  });

  test('a workspace that was removed is a patch that removes everything', async () => {
    const { text } = await patchOf('rm -rf "$APP_DIR"');
    expect(text.match(/^deleted file mode/gm)).toHaveLength(4);
  });

  test('a workspace that became a link is the fault of the agent', async () => {
    await expect(patchOf('cd / && rm -rf "$APP_DIR" && ln -s /etc "$APP_DIR"')).rejects.toMatchObject({
      blame: 'agent',
      code: 'workspace_replaced',
    });
  });

  test('a patch beyond every reason is the fault of the agent, and costs no memory', async () => {
    const before = process.memoryUsage.rss();
    await expect(patchOf('head -c 120000000 /dev/urandom > big')).rejects.toMatchObject({
      blame: 'agent',
      code: 'patch_too_large',
    });
    expect(process.memoryUsage.rss() - before).toBeLessThan(300_000_000);
  });

  test('git variables of the executor s own environment change nothing', async () => {
    Object.assign(process.env, { GIT_DIR: '/nowhere', GIT_EXTERNAL_DIFF: 'false', GIT_WORK_TREE: '/nowhere' });
    try {
      expect((await patchOf('echo four >> a.txt')).text).toContain('+four');
    } finally {
      for (const name of ['GIT_DIR', 'GIT_EXTERNAL_DIFF', 'GIT_WORK_TREE']) Reflect.deleteProperty(process.env, name);
    }
  });

  test('nothing of the workspace is left on the host but our own objects', async () => {
    const sandbox = await bench.sandbox(BASE);
    const dir = await bench.folder();
    const recorder = await WorkspaceRecorder.record(sandbox, dir, 'kept');
    await inside(sandbox, 'echo x >> a.txt');
    expect(await recorder.patch(sandbox)).not.toBeNull();
    expect([existsSync(join(dir, 'before')), existsSync(join(dir, 'after'))]).toEqual([false, false]);
  });
});
