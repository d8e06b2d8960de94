import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { AgentBench, inside } from '../harness/agent-bench';
import { WorkspaceRecorder } from './workspace-recorder';

let bench: AgentBench;
const path = process.env['PATH'] ?? '';
beforeAll(async () => {
  bench = await AgentBench.open();
});
afterEach(() => {
  process.env['PATH'] = path;
});
afterAll(() => bench.close());

/** The real git, but for one command of it. */
async function gitThat(fails: string, how: string): Promise<void> {
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const dir = await bench.folder();
  const file = join(dir, 'git');
  await writeFile(file, `#!/bin/sh\nfor word in "$@"; do [ "$word" = ${fails} ] && ${how}; done\nexec ${real} "$@"\n`);
  await chmod(file, 0o755);
  process.env['PATH'] = `${dir}:${path}`;
}

test('a patch that does not apply again to the tree that it was taken from is our fault, with what git said', async () => {
  const sandbox = await bench.sandbox({ 'a.txt': 'one\n' });
  const recorder = await WorkspaceRecorder.record(sandbox, await bench.folder(), 'kept');
  await inside(sandbox, 'echo two > a.txt');
  await gitThat('apply', '{ echo "error: a.txt: does not match index" >&2; exit 1; }');
  await expect(recorder.patch(sandbox)).rejects.toMatchObject({
    blame: 'infra',
    code: 'patch_does_not_reapply',
    details: { git: expect.stringContaining('does not match index') as string },
  });
  await sandbox.destroy();
});
