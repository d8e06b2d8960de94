import { tmpdir } from 'node:os';
import { runGit } from './run-git';

const call = { cwd: tmpdir(), env: { PATH: process.env['PATH'] ?? '' }, input: Buffer.alloc(0), maxBytes: 1_000 };

test('git that hangs is ended, as our fault', async () => {
  const hanging = runGit(['-c', 'alias.hang=!sleep 5', 'hang'], { ...call, longestMs: 300 });
  await expect(hanging).rejects.toMatchObject({ blame: 'infra', code: 'git_timed_out' });
});

test('a machine without git is our fault', async () => {
  const env = { PATH: '/nowhere' };
  await expect(runGit(['version'], { ...call, env })).rejects.toMatchObject({ blame: 'infra', code: 'git_missing' });
});

test('what git says is bounded', async () => {
  expect(await runGit(['help', '-a'], call)).toMatchObject({ truncated: true });
  expect((await runGit(['version'], call)).stdout.toString()).toMatch(/^git version/);
});
