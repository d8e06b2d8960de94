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
