import type { Sandbox } from '@assay/sandbox';

const PATCH_FILE = '/tmp/patch.diff';
const STEP_MS = 300_000;

/** The ways of harness 5.0.2, in its order; the first that ends with 0 wins. */
const WAYS: readonly (readonly string[])[] = [
  ['git', 'apply', '--verbose', PATCH_FILE],
  ['git', 'apply', '--verbose', '--3way', PATCH_FILE],
  ['git', 'apply', '--verbose', '--reject', PATCH_FILE],
  ['patch', '--batch', '--forward', '--fuzz=5', '-p1', '-i', PATCH_FILE],
];

/** Between two ways the tree is reset. */
const RESET = 'git checkout -- . ; git clean -fd';

/** Applied already: that counts as applied. */
const REVERSE_CHECK: readonly string[] = ['git', 'apply', '--check', '--reverse', PATCH_FILE];

/** Applies a patch as the official harness does. Null when it applied, else the last way's output. */
export async function applyAsOfficial(sandbox: Sandbox, patch: Buffer, signal: AbortSignal): Promise<string | null> {
  await sandbox.putFile(PATCH_FILE, patch);
  const run = (command: readonly string[]) =>
    sandbox.exec({ command, timeoutMs: STEP_MS, maxOutputBytes: 1_048_576, signal });
  let output = '';
  for (const [index, way] of WAYS.entries()) {
    if (index > 0) await run(['bash', '-c', RESET]);
    const result = await run(way);
    if (result.exitCode === 0) return null;
    output = result.output.toString('utf8');
  }
  return (await run(REVERSE_CHECK)).exitCode === 0 ? null : output;
}
