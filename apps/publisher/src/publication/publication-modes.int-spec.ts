import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PublicationOutcome } from '@assay/contracts';
import { aFailedResult } from '@assay/testing';
import { aPolicy } from '../harness/a-policy';
import { aRun, aSpec, MARKERS, Publishing, REPOSITORY } from '../harness/publishing';

const NOTES = '## What is new\n\n- Faster\n\nThanks!\n';
const BENCH = { tag_name: 'bench-1', prerelease: true, body: NOTES };

let at: Publishing;
beforeEach(async () => {
  at = await Publishing.start();
});
afterEach(async () => {
  await at.stop();
  expect(at.standin.problems).toEqual([]);
});

const onBench = (id: number, run = 'run-1') =>
  aSpec(id, { tag: 'bench-1', result: aRun(run, { release: { repository: REPOSITORY, tag: 'bench-1' } }) });

async function shown(outcome: PublicationOutcome): Promise<string> {
  if (outcome.kind !== 'dry_run') throw new Error(outcome.kind);
  return (await at.artifacts.get(outcome.difference)).toString();
}

/** What git makes of the notes by the difference. */
function applied(notes: string, difference: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'assay-dry-'));
  writeFileSync(join(dir, 'notes'), notes);
  const input = difference.replace(/^(---|\+\+\+) .*$/gm, '$1 notes');
  const env = { PATH: process.env['PATH'], GIT_CEILING_DIRECTORIES: tmpdir() };
  execFileSync('git', ['apply', '--whitespace=nowarn', '-p0', '-'], { cwd: dir, input, env });
  const text = readFileSync(join(dir, 'notes'), 'utf8');
  rmSync(dir, { recursive: true });
  return text;
}

test('off: nothing is written, and the reason is told', async () => {
  const id = await at.release(BENCH);
  const outcome = await at.publish(onBench(id), {}, at.handler({ policy: aPolicy('off') }));
  expect(outcome).toEqual({ kind: 'refused', code: 'publication_refused', reason: 'publication is off' });
  expect([at.body(id), at.count('POST'), at.count('PATCH')]).toEqual([NOTES, 0, 0]);
});

test('a dry run shows exactly what a write then does, and writes nothing', async () => {
  const id = await at.release(BENCH);
  const outcome = await at.publish(onBench(id), {}, at.handler({ policy: aPolicy('dry-run') }));
  expect(outcome).toMatchObject({ kind: 'dry_run', reason: 'publication is a dry run' });
  expect([at.body(id), at.count('POST'), at.count('PATCH'), at.asked]).toEqual([NOTES, 0, 0, 0]);
  const difference = await shown(outcome);

  await at.publish(onBench(id), {}, at.handler({ policy: aPolicy('all') }));
  expect(applied(NOTES, difference)).toBe(at.body(id));
  const [asset] = at.found(id).assets;
  expect(difference).toMatch(new RegExp(`^File added: ${asset?.name ?? '?'} \\(\\d+ bytes\\)\n--- notes of bench-1\n`));
});

test('a dry run over an earlier result names the file that would go, and over itself nothing', async () => {
  const id = await at.release(BENCH);
  await at.publish(onBench(id));
  const dry = at.handler({ policy: aPolicy('dry-run') });
  const difference = await shown(await at.publish(onBench(id, 'run-2'), {}, dry));
  expect(difference).toContain(`File removed: ${at.found(id).assets[0]?.name ?? '?'} (`);
  expect(applied(at.body(id), difference)).toContain('`run-2`');
  expect(await shown(await at.publish(onBench(id), {}, dry))).toBe('The notes would not change.\n');
});

test('a dry run of an immutable release shows no files', async () => {
  const id = await at.release(BENCH);
  await at.api('POST', '/_standin/releases', { repository: REPOSITORY, releaseId: id, immutable: true });
  const difference = await shown(await at.publish(onBench(id), {}, at.handler({ policy: aPolicy('dry-run') })));
  expect(difference).toMatch(/^--- notes of bench-1\n/);
});

test('prerelease: a release that became stable between the look and the write gets nothing', async () => {
  const id = await at.release(BENCH);
  const ensureFresh = async (): Promise<void> => {
    await at.api('PATCH', `/repos/${REPOSITORY}/releases/${id}`, { prerelease: false });
  };
  const outcome = await at.publish(onBench(id), { ensureFresh }, at.handler({ policy: aPolicy('prerelease') }));
  expect(outcome).toMatchObject({ kind: 'refused', code: 'publication_refused' });
  expect(at.body(id)).toBe(NOTES);
});

test('a foreign release is never written to, though the run was submitted for it', async () => {
  const id = await at.release({ tag_name: 'desktop-v1.2.0', body: NOTES });
  const release = { repository: REPOSITORY, tag: 'desktop-v1.2.0' };
  const spec = aSpec(id, { tag: 'desktop-v1.2.0', result: aRun('run-1', { release }) });
  const outcome = await at.publish(spec, {}, at.handler({ policy: aPolicy('all') }));
  expect(outcome).toMatchObject({ kind: 'refused', code: 'publication_refused' });
  expect([at.body(id), at.found(id).assets]).toEqual([NOTES, []]);
});

test('a block that stands is verified though the policy was turned off since; it is not written again', async () => {
  const id = await at.release(BENCH);
  const written = await at.publish(onBench(id));
  if (written.kind !== 'written') throw new Error(written.kind);
  const verify = {
    ...onBench(id),
    phase: 'verify' as const,
    blockDigest: written.blockDigest,
    assetNames: written.assets.map(({ name }) => name),
  };
  const off = at.handler({ policy: aPolicy('off') });
  expect(await at.publish(verify, {}, off)).toMatchObject({ kind: 'verified' });
  await at.api('PATCH', `/repos/${REPOSITORY}/releases/${id}`, { body: NOTES });
  expect(await at.publish(verify, {}, off)).toMatchObject({ kind: 'refused' });
  expect(at.body(id)).toBe(NOTES);
});

test('a run that failed is published with its cause, by the token and with its file', async () => {
  const id = await at.release({ body: NOTES });
  const outcome = await at.publish(aSpec(id, { result: aFailedResult() }));
  expect(outcome).toMatchObject({ kind: 'written', assets: [{ name: expect.stringContaining('run-1') as string }] });
  expect(at.body(id)).toContain('**Failed, not scored**');
  expect(at.body(id)).toContain('npm has no version 1.2.0 of agent (package_missing)');
  expect(JSON.parse((await at.download(at.found(id).assets[0]?.name ?? '')).toString())).toEqual(aFailedResult());
  expect(at.body(id)).not.toMatch(/undefined|null|NaN|%/);
});

test('the single marker of an older pipeline keeps its place and the text after it', async () => {
  const body = `${NOTES}<!-- qwen-code-benchmark -->\nWritten by hand\n`;
  const id = await at.release({ ...BENCH, body });
  await at.publish(onBench(id));
  const [before = '', after = ''] = at.body(id).split(new RegExp(`${MARKERS.start}[\\s\\S]*${MARKERS.end}`));
  expect(before).toBe(`${NOTES}<!-- qwen-code-benchmark -->\n\n`);
  expect(after).toBe('\nWritten by hand\n');
});
