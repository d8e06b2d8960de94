import { scriptedSandbox } from '../harness/scripted-sandbox';
import { applyByChain } from './patch-chain';

const given = { patch: Buffer.from('x'), origin: 'trial', signal: new AbortController().signal } as const;

test('an image without the folder of the repository is the fault of the task', async () => {
  const sandbox = scriptedSandbox((command) => ({ exitCode: command.startsWith('test -d') ? 1 : 0 }));
  await expect(applyByChain(sandbox, given)).rejects.toMatchObject({ blame: 'task', code: 'image_without_testbed' });
});

test('a step that was killed says nothing of the patch: our fault, and no further step is tried', async () => {
  const ran: string[] = [];
  const sandbox = scriptedSandbox((command) => {
    ran.push(command);
    return { exitCode: command.startsWith('git apply') ? null : 0 };
  });
  await expect(applyByChain(sandbox, given)).rejects.toMatchObject({ blame: 'infra', code: 'patch_step_killed' });
  expect(ran.filter((command) => command.startsWith('git'))).toHaveLength(1);
});

test.each([
  ['trial', 'infra'],
  ['prediction', 'task'],
] as const)('a patch of a %s that nothing applies blames %s', async (origin, blame) => {
  const sandbox = scriptedSandbox((command) => ({ exitCode: /^(git apply|patch)/.test(command) ? 1 : 0 }));
  await expect(applyByChain(sandbox, { ...given, origin })).rejects.toMatchObject({
    blame,
    code: 'patch_apply_failed',
  });
});
