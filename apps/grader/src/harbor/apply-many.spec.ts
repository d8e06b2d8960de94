import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostParts } from '@assay/sandbox';
import { scriptedSandbox } from '../harness/scripted-sandbox';
import { applyPatch } from './apply-patch';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'assay-apply-many-'));
});
afterEach(() => rm(dir, { recursive: true }));

/** A patch that adds so many files, and as many links. */
function additions(count: number): Buffer {
  const added = (path: string, mode: string, line: string): string =>
    `diff --git a/${path} b/${path}\nnew file mode ${mode}\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+${line}\n`;
  const each = Array.from(
    { length: count },
    (_, n) =>
      `${added(`d${n % 7}/f${n}`, '100644', 'x')}${added(`d${n % 7}/l${n}`, '120000', `f${n}`)}\\ No newline at end of file\n`,
  );
  return Buffer.from(each.join(''));
}

test('files and links of a big patch go back in one call, not in one call each', async () => {
  const calls: HostParts[] = [];
  let commands = 0;
  const sandbox = scriptedSandbox(
    () => {
      commands += 1;
      return {};
    },
    {
      fetchFolder: () => Promise.resolve(),
      putParts: (parts) => {
        calls.push(parts);
        return Promise.resolve();
      },
    },
  );
  const { signal } = new AbortController();
  await applyPatch(sandbox, { patch: additions(2_000), origin: 'trial', dir, signal });
  expect(calls).toMatchObject([{ insideDir: '/app', signal }]);
  expect(new Set(calls[0]?.paths).size).toBe(4_000);
  expect(commands).toBe(0);
});

test('a signal that is raised while git works ends it, with its reason', async () => {
  const stop = new AbortController();
  const sandbox = scriptedSandbox(() => ({}), {
    fetchFolder: () => {
      setImmediate(() => {
        stop.abort(new Error('stopped'));
      });
      return Promise.resolve();
    },
  });
  const applying = applyPatch(sandbox, { patch: additions(20_000), origin: 'trial', dir, signal: stop.signal });
  await expect(applying).rejects.toThrow('stopped');
});
