import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Namespace } from '@assay/contracts';
import { InfraError } from '@assay/failures';
import { describeNeeding } from '@assay/testing';
import { diskFailure } from './disk-failure';
import { FileArtifactStore } from './index';

/** Null when a small file system can be mounted here. */
function missingMounts(): string | null {
  if (process.getuid?.() !== 0) return 'root, to mount a small file system';
  const probe = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', tmpdir()]);
  return probe.status === 0 ? null : 'the right to mount a small file system';
}

describeNeeding(missingMounts(), 'on a disk of one MiB', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'assay-small-'));
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', dir], { encoding: 'utf8' });
    if (mounted.status !== 0) throw new Error(mounted.stderr);
  });
  afterEach(async () => {
    spawnSync('umount', [dir]);
    await rm(dir, { recursive: true, force: true });
  });

  test('a put that does not fit is disk_full, leaves nothing, and what fits goes in afterwards', async () => {
    const store = new FileArtifactStore({ dir, namespace: Namespace.parse('one') });
    const kept = await store.put('patch', 'text/plain', Buffer.from('kept'));
    const error: unknown = await store
      .put('agent_log', 'text/plain', Buffer.alloc(3 << 20, 1))
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InfraError);
    expect(error).toMatchObject({ code: 'disk_full', details: { errno: 'ENOSPC' } });
    expect(await readdir(join(dir, 'one', 'aside'))).toEqual([]);
    expect(await store.get(kept)).toEqual(Buffer.from('kept'));
    await store.put('agent_log', 'text/plain', Buffer.alloc(100_000, 1));
  });

  test('a fetch onto it is disk_full and leaves no part of the file', async () => {
    const source = await mkdtemp(join(tmpdir(), 'assay-source-'));
    const store = new FileArtifactStore({ dir: source, namespace: Namespace.parse('one') });
    const ref = await store.put('task_bundle', 'application/x-tar', Buffer.alloc(3 << 20, 1));
    await mkdir(join(dir, 'work'));
    await expect(store.fetchTo(ref, join(dir, 'work/bundle.tar'))).rejects.toMatchObject({ code: 'disk_full' });
    expect(await readdir(join(dir, 'work'))).toEqual([]);
    await rm(source, { recursive: true });
  });
});

test.each(['ENOSPC', 'EDQUOT', 'EFBIG'])('%s counts as a full disk', (code) => {
  const failure = diskFailure('no', Object.assign(new Error('x'), { code }), { name: 'patch' });
  expect(failure.toFailure()).toMatchObject({
    blame: 'infra',
    code: 'disk_full',
    details: { name: 'patch', errno: code },
  });
});

test('a failure with blame is not wrapped again', () => {
  const known = new InfraError('x', { code: 'disk_full', phase: 'upload' });
  expect(diskFailure('no', known, {})).toBe(known);
});
