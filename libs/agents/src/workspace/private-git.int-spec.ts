import { join } from 'node:path';
import { AgentBench } from '../harness/agent-bench';
import { PrivateGit } from './private-git';

let bench: AgentBench;
beforeAll(async () => {
  bench = await AgentBench.open();
});
afterAll(() => bench.close());

/** The patch of three files in one folder, each changed in another way. */
async function patchWithin(bounds: { maxBytes: number; maxFiles: number }): Promise<Buffer> {
  const git = await PrivateGit.init(join(await bench.folder(), 'git'));
  const before = await git.wholeTree(await bench.folder({ 'd/changed': 'one\n', 'd/gone': 'x\n', 'd/same': 'x\n' }));
  const after = await git.wholeTree(await bench.folder({ 'd/changed': 'two\n', 'd/new': '', 'd/same': 'x\n' }));
  return git.diff(before, after, bounds);
}

test('a patch of as many files as it may have is whole, also with files that are empty', async () => {
  const patch = (await patchWithin({ maxBytes: 10_000, maxFiles: 3 })).toString();
  expect(patch.match(/^diff --git .*/gm)).toEqual([
    'diff --git a/d/changed b/d/changed',
    'diff --git a/d/gone b/d/gone',
    'diff --git a/d/new b/d/new',
  ]);
});

test.each([
  ['files', { maxBytes: 10_000, maxFiles: 2 }, 'the patch changes 3 files, more than 2', { files: 3, maxFiles: 2 }],
  ['bytes', { maxBytes: 100, maxFiles: 3 }, 'the patch has more than 100 bytes', { maxBytes: 100 }],
  ['bytes in its names alone', { maxBytes: 10, maxFiles: 3 }, 'the patch has more than 10 bytes', { maxBytes: 10 }],
])('one with more %s is the fault of the agent', async (_what, bounds, message, details) => {
  await expect(patchWithin(bounds)).rejects.toMatchObject({
    ...{ blame: 'agent', code: 'patch_too_large', phase: 'extract', message, details },
  });
});
