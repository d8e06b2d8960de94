import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecRequest } from '@assay/sandbox';
import { scriptedSandbox } from '../harness/scripted-sandbox';
import { takeAway } from './take-away';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'assay-take-away-'));
});
afterEach(() => rm(dir, { recursive: true }));

const { signal } = new AbortController();

/** Commands run in a folder of this machine, by its own shell. */
function sandboxHere(requests: ExecRequest[] = []) {
  return scriptedSandbox((_, request) => {
    requests.push(request);
    const [program = '', ...args] = request.command;
    const { status, stderr } = spawnSync(program, args, { cwd: dir });
    return { exitCode: status, output: stderr };
  });
}

function sh(script: string): string {
  return execFileSync('sh', ['-c', script], { cwd: dir, encoding: 'latin1' });
}

test('takes files, links and emptied folders away, whatever bytes their names are of, and nothing else', async () => {
  sh(`n="$(printf 'l\\351\\n.')"; n="\${n%.}"; mkdir -p "a/$n/deep" kept 'with blank'; : > "a/$n/deep/$n"; ln -s nowhere "$n"
    : > kept/this; : > kept/that; : > 'with blank/-rf'; : > -rf; : > 'back\\slash0101'; : > "$(printf 'l\\351')back\\\\0101"`);
  const name = 'l\xe9\n';
  const paths = [
    `a/${name}/deep/${name}`,
    name,
    'kept/this',
    'with blank/-rf',
    '-rf',
    'back\\slash0101',
    'l\xe9back\\0101',
  ];
  await takeAway(sandboxHere(), paths, signal);
  expect(sh('find . -mindepth 1 | sort')).toBe('./kept\n./kept/that\n');
});

test('names as many as fit into a command', async () => {
  const requests: ExecRequest[] = [];
  const paths = Array.from({ length: 20_000 }, (_, n) => `many/file-${n}`);
  sh('mkdir many; seq -f many/file-%.0f 0 19999 | xargs touch');
  await takeAway(sandboxHere(requests), paths, signal);
  expect(sh('ls')).toBe('');
  expect(requests.length).toBeLessThan(10);
});

test('a signal ends it, with its reason', async () => {
  const stop = new AbortController();
  const sandbox = scriptedSandbox(() => {
    stop.abort(new Error('stopped'));
    return { exitCode: null };
  });
  await expect(takeAway(sandbox, ['a', 'b'], stop.signal)).rejects.toThrow('stopped');
});
