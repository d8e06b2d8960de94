import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scriptedSandbox } from '../harness/scripted-sandbox';
import { applyPatch } from './apply-patch';
import { emptied } from './harbor-judge';

// What a sandbox refuses to have done to it: never the fault of the patch.

const REFUSED = { exitCode: 1, output: Buffer.from('Operation not permitted') };
const DELETION = ['--- a/old.txt', '+++ /dev/null', '@@ -1 +0,0 @@', '-old', ''].join('\n');

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'assay-put-back-'));
});
afterEach(() => rm(dir, { recursive: true }));

test('patched files that cannot be put into the sandbox', async () => {
  const sandbox = scriptedSandbox(() => REFUSED, {
    fetchFolder: (_from, to) => writeFile(join(to, 'old.txt'), 'old\n'),
  });
  const patch = Buffer.from(`diff --git a/old.txt b/old.txt\ndeleted file mode 100644\n${DELETION}`);
  await expect(
    applyPatch(sandbox, { patch, origin: 'prediction', dir, signal: new AbortController().signal }),
  ).rejects.toMatchObject({
    blame: 'infra',
    code: 'patch_not_put_back',
    message: expect.stringContaining('Operation not permitted') as string,
  });
});

test('folders of the tests that cannot be emptied', async () => {
  await expect(
    emptied(
      scriptedSandbox(() => REFUSED),
      ['/tests'],
    ),
  ).rejects.toMatchObject({
    blame: 'infra',
    code: 'folders_not_emptied',
    details: { dirs: ['/tests'], exitCode: 1 },
  });
});
