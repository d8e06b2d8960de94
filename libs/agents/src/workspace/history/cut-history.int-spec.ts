import { dirname } from 'node:path';
import type { Sandbox } from '@assay/sandbox';
import { AgentBench, inside } from '../../harness/agent-bench';
import { CHECK } from './check.script';
import { cutHistory } from './cut-history';

/** A repository with a base commit and two commits below it; what a later one would show is called `secret`. */
const BASE = `
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@a GIT_COMMITTER_NAME=c GIT_COMMITTER_EMAIL=c@c
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
commit() { git add -A && git commit -qm "$1"; }
git init -q -b main .
git config user.name kept
for n in 1 2 3; do echo "$n" > number; commit "step $n"; done
later() { git checkout -q --detach; echo "secret $1" > "secret-$1"; echo fixed > number; commit "later $1"; git checkout -q main; }
`;
const at = (name: string): string => `$(git rev-parse "${name}")`;

/** Whatever git, or a look into its folder, still tells of later commits. */
const TRACES = `
git cat-file --batch-all-objects --batch-check='%(objectname) %(objecttype)' | while read -r id type; do
  git cat-file "$type" "$id" 2>/dev/null | grep -a secret || :
done
git log --all --reflog --oneline 2>/dev/null | grep secret || :
grep -ra secret "$(git rev-parse --git-common-dir)" | head -n 3 || :
`;

describe('the history of a repository', () => {
  let bench: AgentBench;
  beforeAll(async () => {
    bench = await AgentBench.open();
  });
  afterAll(() => bench.close());

  async function repository(script: string, base = BASE): Promise<Sandbox> {
    const sandbox = await bench.sandbox({ number: '0\n' });
    await inside(sandbox, `${base}\n${script}`);
    return sandbox;
  }

  const PLACES: Record<string, string> = {
    'a branch': 'later b; git branch next HEAD@{1}',
    'a tag': 'later t; git tag v2 HEAD@{1}',
    'an annotated tag of a tag': 'later t; git tag -am x v2 HEAD@{1}; git tag -am y v3 v2',
    'a tag of a blob': 'git tag blob "$(echo secret | git hash-object -w --stdin)"',
    'a remote branch':
      'later r; git update-ref refs/remotes/origin/main HEAD@{1}; git remote add origin https://x.example/secret',
    'packed refs': 'later p; git branch next HEAD@{1}; git pack-refs --all --prune',
    'the reflog': 'later l',
    'a stash': 'echo "secret" > number; git stash -q',
    notes: 'git notes add -m secret',
    'a replaced object': 'later r; git replace HEAD HEAD@{1}',
    'an ORIG_HEAD and a FETCH_HEAD':
      'later o; git rev-parse HEAD@{1} > .git/ORIG_HEAD; echo "$(cat .git/ORIG_HEAD) secret" > .git/FETCH_HEAD',
    'an unreachable commit': 'later u; git reflog expire --expire=now --all',
    'a dangling blob': 'echo secret | git hash-object -w --stdin',
    'a pack': 'later k; git repack -adq; git reflog expire --expire=now --all',
    'a pack that is kept':
      'later k; git repack -adq; for p in .git/objects/pack/*.pack; do : > "${p%.pack}.keep"; done',
    'a commit-graph and a multi-pack index':
      'later g; git branch next HEAD@{1}; git repack -dq; git commit-graph write --reachable; git multi-pack-index write',
    'a worktree elsewhere': 'later w; git worktree add -q -b next ../elsewhere HEAD@{1}; rm -r ../elsewhere',
    'another branch s name': 'later n; git branch -q secret-branch HEAD',
    'a bisection': 'later b; git update-ref refs/bisect/bad HEAD@{1}; echo secret > .git/BISECT_LOG',
    grafts: 'id=$(git commit-tree -m secret HEAD^{tree}); echo "$(git rev-parse HEAD) $id" > .git/info/grafts',
    'an index': 'echo secret > staged; git add staged; rm staged',
    'a rebase that was left':
      'later r; mkdir .git/rebase-merge; git rev-parse HEAD@{1} > .git/rebase-merge/onto; echo secret > .git/rebase-merge/message',
    'a branch with an odd name': `later o; git branch "odd'\\"name;\\$x" HEAD@{1}`,
    'a bundle and an lfs store in the folder':
      'later b; git branch next HEAD@{1}; git bundle create -q .git/x.bundle --all; mkdir -p .git/lfs/objects; echo secret > .git/lfs/objects/x',
  };

  test.each(Object.entries(PLACES))(
    'beyond HEAD in %s is cut; HEAD, its ancestors and the files stay',
    async (_name, script) => {
      const sandbox = await repository(script);
      const look =
        'export GIT_NO_REPLACE_OBJECTS=1 GIT_GRAFT_FILE=/nonexistent; git log --format=%H HEAD; cat number; git symbolic-ref HEAD';
      const before = await inside(sandbox, look);
      expect(await inside(sandbox, TRACES)).not.toBe('');
      const [repo] = await cutHistory(sandbox);
      expect(await inside(sandbox, TRACES)).toBe('');
      expect(await inside(sandbox, look)).toBe(before);
      expect(repo?.head).toBe(before.slice(0, 40));
      const sound = await inside(sandbox, 'git fsck --full --strict 2>&1; git log --oneline -- number | wc -l');
      expect(sound).toMatch(/^\s*3\n$/);
    },
  );

  test('of a repository that has none beyond HEAD stays as it is, and so does what is staged and changed', async () => {
    const sandbox = await repository(
      'echo 4 > number; git stash -q || :; git stash drop -q; git reflog expire --all --expire=now; git prune --expire=now; echo 5 > number',
    );
    const before = await inside(sandbox, 'git status --short; git diff');
    await cutHistory(sandbox);
    expect(await inside(sandbox, 'git status --short; git diff')).toBe(before);
    expect(before).toContain('+5');
  });

  test('what was staged is no longer staged, but still in its file', async () => {
    const sandbox = await repository('echo 4 > number; git add number; echo new > other; git add other');
    await cutHistory(sandbox);
    expect(await inside(sandbox, 'git status --short; cat number')).toBe(' M number\n?? other\n4\n');
  });

  test('the agent can go on: it commits, branches, stashes and looks back', async () => {
    const sandbox = await repository('later x; git branch next HEAD@{1}');
    await cutHistory(sandbox);
    const script = `
      export GIT_AUTHOR_EMAIL=a@a GIT_COMMITTER_EMAIL=a@a
      echo 4 > number; git stash -q; git stash pop -q; git commit -qam mine; git checkout -qb other; git tag mine
      git blame -s number | cut -c10-; git diff HEAD~1 --stat | head -n 1; git reflog | wc -l; git gc -q; git log --oneline | wc -l; git config user.name`;
    expect(await inside(sandbox, script)).toBe('1) 4\n number | 2 +-\n3\n4\nkept\n');
  });

  test('a detached HEAD is what counts, not the branches above it', async () => {
    const sandbox = await repository(
      'later d; id=$(git rev-parse HEAD@{1}); git checkout -q --detach main~1; git branch -f main "$id"',
    );
    const [repo] = await cutHistory(sandbox);
    expect(await inside(sandbox, TRACES)).toBe('');
    expect(await inside(sandbox, `git branch -a; echo ${at('HEAD')}`)).toBe(`* (no branch)\n${repo!.head}\n`);
  });

  test('a base commit whose id a replacement gives to HEAD can still be named', async () => {
    const base = 'cffd4e0f86fefd4802349a9f9b19ed70934ea354';
    const sandbox = await repository(`git replace -f ${base} HEAD; later s`);
    await cutHistory(sandbox);
    expect(await inside(sandbox, TRACES)).toBe('');
    expect(await inside(sandbox, `git show -s --format=%s ${base}; git diff --stat ${base}`)).toBe('step 3\n');
  });

  test('a shallow clone stays one', async () => {
    const origin = 'mkdir ../origin && cd ../origin && ';
    const sandbox = await bench.sandbox({ keep: '' });
    await inside(sandbox, `${origin}${BASE}`);
    await inside(
      sandbox,
      'rm keep; git clone -q --depth 2 "file://$PWD/../origin" . && git fetch -q --unshallow --no-tags && git checkout -q HEAD~1 && git fetch -q --depth 1 origin main',
    );
    await inside(sandbox, 'rm -rf ../origin');
    await cutHistory(sandbox);
    expect(await inside(sandbox, 'git log --format=%s; git fsck 2>&1')).toMatch(/^step 2\n/);
    expect(await inside(sandbox, 'git cat-file --batch-all-objects --batch-check | grep -c commit')).toMatch(
      /^[12]\n$/,
    );
  });

  test('a repository without any commit loses all its objects', async () => {
    const sandbox = await repository(
      'git init -q -b other .; echo secret > s; git add s; rm s',
      'export GIT_CONFIG_GLOBAL=/dev/null',
    );
    const [repo] = await cutHistory(sandbox);
    expect(repo?.head).toBeNull();
    expect(await inside(sandbox, 'git cat-file --batch-all-objects --batch-check; git status --short')).toBe(
      '?? number\n',
    );
  });

  test('objects that are borrowed from elsewhere are taken over, and no more than those', async () => {
    const sandbox = await repository(
      'later a; git branch next HEAD@{1}; cd ..; git clone -q --shared app copy; rm -rf app/.git; mv copy/.git app/.git; mv app/.git/objects/info/alternates x; echo "$PWD/lender/objects" > app/.git/objects/info/alternates; rm -rf copy',
      `cd ..; mkdir lend; cd lend; ${BASE} mkdir -p ../app; cp -r .git ../app/.git; cp -r .git ../lender; cd ../app; git reset -q --hard`,
    );
    await cutHistory(sandbox);
    await inside(sandbox, 'rm -rf ../lender');
    expect(
      await inside(
        sandbox,
        `${TRACES} git fsck --full 2>&1; git log --oneline | wc -l; ls .git/objects/info 2>/dev/null || :`,
      ),
    ).toMatch(/^\s*3\n$/);
  });

  test('submodules and repositories within the workspace are cut to their own HEAD', async () => {
    const sandbox = await repository(`
      mkdir ../origin; (cd ../origin; ${BASE.replace('export', 'export X=1;export')} later m; git branch next HEAD@{1}; git tag v HEAD@{1})
      git -c protocol.file.allow=always submodule --quiet add "$PWD/../origin" "sub module" >/dev/null 2>&1; commit sub
      (cd "sub module"; git checkout -q "$(git rev-list --max-parents=0 HEAD)"); git clone -q ../origin nested 2>/dev/null; rm -rf ../origin`);
    const repos = await cutHistory(sandbox);
    expect(repos.map(({ folder }) => folder.replace(/.*\/app\//, '')).sort()).toEqual([
      '.git',
      '.git/modules/sub module',
      'nested/.git',
    ]);
    for (const dir of ['.', 'sub module', 'nested']) {
      expect([dir, await inside(sandbox, `cd "${dir}"; ${TRACES}`)]).toEqual([dir, '']);
    }
    expect(
      await inside(
        sandbox,
        'cd "sub module"; git log --oneline | wc -l; git status --short; git remote; cd ../nested; git log --oneline | wc -l; git remote',
      ),
    ).toMatch(/^\s*1\n\s*3\n$/);
  });

  test('a workspace that is a linked work tree keeps its own HEAD; the other trees are forgotten', async () => {
    const sandbox = await repository(
      `git worktree add -q ../tree HEAD~1; git worktree add -q ../other HEAD; later w; git branch next HEAD@{1}; cd ..; mv app main; mv tree app; git -C main worktree repair "$PWD/app" >/dev/null 2>&1`,
    );
    const [repo] = await cutHistory(sandbox);
    expect(
      await inside(sandbox, `${TRACES} git log --format=%s; git status --short; git worktree list | wc -l`),
    ).toMatch(/^step 2\nstep 1\n\s*\d\n$/);
    expect(await inside(sandbox, 'git rev-parse HEAD; git -C ../main rev-parse HEAD')).toBe(
      `${repo!.head}\n${repo!.head}\n`,
    );
  });

  test('hooks, monitors and includes of the repository run nothing, and its remotes are gone', async () => {
    const sandbox = await repository(`
      for hook in reference-transaction post-checkout post-rewrite pre-auto-gc post-index-change; do
        printf '#!/bin/sh\ntouch "%s/ran"\n' "$PWD" > .git/hooks/$hook; chmod +x .git/hooks/$hook
      done
      printf '#!/bin/sh\ntouch "%s/ran"\n' "$PWD" > evil; chmod +x evil; cp -r .git/hooks ../hooks
      git config core.hooksPath ../hooks; git config core.fsmonitor "$PWD/evil"; git config alias.rev-parse "!$PWD/evil"
      git config core.pager "$PWD/evil"; git config core.alternateRefsCommand "$PWD/evil"
      git config remote.origin.url https://x.example/; git config branch.main.remote origin
      printf '[remote "more"]\n\turl = https://y.example\n' > ../more; git config include.path ../../more
      rm -f ran; git update-ref -d refs/none 2>/dev/null || :; rm -f ran`);
    await cutHistory(sandbox);
    expect(
      await inside(
        sandbox,
        'ls ran 2>/dev/null || echo not run; ls .git; git remote; git config --list --local | cut -d= -f1 | sort',
      ),
    ).toBe(
      [
        'not run',
        'HEAD',
        'config',
        'description',
        'index',
        'info',
        'objects',
        'refs',
        'core.bare',
        'core.filemode',
        'core.repositoryformatversion',
        'user.name',
        '',
      ].join('\n'),
    );
  });

  test.each([
    ['a configuration that nobody can read', 'printf "[core\\nnonsense" > .git/config'],
    [
      'refs that are broken',
      'echo nonsense > .git/refs/heads/broken; echo "ref: refs/heads/main" > .git/refs/heads/loop; mkdir -p .git/refs/tags/empty',
    ],
    ['an index that is broken', 'echo nonsense > .git/index'],
    ['odd files in its folder', 'mkdir ".git/a b"; touch ".git/..x" ".git/-rf" ".git/new\nline"'],
    ['a .git that is a link', 'mv .git ../moved; ln -s ../moved .git'],
    ['a .git that names a folder', 'mv .git ../moved; echo "gitdir: ../moved" > .git; git config core.worktree "$PWD"'],
  ])('with %s it is cut too', async (_name, script) => {
    const sandbox = await repository(`later x; ${script}`);
    const [repo] = await cutHistory(sandbox);
    expect(await inside(sandbox, `${TRACES} git log --format=%s -n 1; git status --short`)).toBe('step 3\n');
    expect(repo?.head).toHaveLength(40);
  });

  test.each([
    ['HEAD that names nothing', 'echo nonsense > .git/HEAD'],
    [
      'HEAD whose commit is gone',
      'git update-ref --no-deref HEAD HEAD; id=$(git rev-parse HEAD); rm -f ".git/objects/$(echo "$id" | cut -c1-2)/$(echo "$id" | cut -c3-)"',
    ],
    [
      'an ancestor that is gone',
      'id=$(git rev-parse HEAD~1); rm -f ".git/objects/$(echo "$id" | cut -c1-2)/$(echo "$id" | cut -c3-)"',
    ],
    ['a .git that leads out of the sandbox', 'rm -rf .git; echo "gitdir: /etc" > .git'],
    ['a .git that leads nowhere', 'rm -rf .git; echo "gitdir: ../nowhere" > .git'],
  ])('with a %s the trial does not start, as our fault', async (_name, script) => {
    const sandbox = await repository(script);
    await expect(cutHistory(sandbox)).rejects.toMatchObject({
      blame: 'infra',
      code: 'history_not_cut',
      phase: 'prepare',
    });
  });

  test('a workspace without a repository is left alone', async () => {
    const sandbox = await bench.sandbox({ number: '0\n' });
    expect(await cutHistory(sandbox)).toEqual([]);
  });

  test.each([
    ['an object that nothing reaches', 'echo secret | git hash-object -w --stdin', /objects beyond its HEAD/],
    ['a tag', 'git tag v1 HEAD~1', /still has refs\/tags\/v1/],
    ['a remote', 'git remote add origin x', /configuration still has remote/],
    ['a reflog', 'mkdir .git/logs', /there is still .*logs/],
    ['hooks', 'mkdir .git/hooks', /there is still .*hooks/],
  ])('the look afterwards finds %s', async (_name, script, found) => {
    const sandbox = await repository('true');
    await cutHistory(sandbox);
    await inside(sandbox, script);
    const { output } = await sandbox.exec({
      command: ['/bin/sh', '-c', CHECK, 'sh', sandbox.workdir, dirname(sandbox.paths.tests)],
      timeoutMs: 30_000,
      maxOutputBytes: 65_536,
    });
    expect(output.toString()).toMatch(found);
  });
});
