import { ProcessGroups } from './process-groups';
import { runInGroup } from './process-exec';

const run = (command: readonly string[]) =>
  runInGroup({
    request: { command, timeoutMs: 10_000, maxOutputBytes: 1_000 },
    cwd: '/',
    env: { PATH: process.env['PATH'] ?? '' },
    marker: `exec-spec-${process.pid}`,
    groups: new ProcessGroups(),
  });

test('a program that is not there ends with 127, as in a container', async () => {
  expect((await run(['/nowhere/program'])).exitCode).toBe(127);
});

test('what the system does not start at all is our fault', async () => {
  await expect(run(['echo', 'x'.repeat(4_000_000)])).rejects.toMatchObject({ blame: 'infra', code: 'spawn_failed' });
});
