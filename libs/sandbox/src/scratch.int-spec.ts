import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, utimes } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { withTempDir } from '@assay/testing';
import { Scratch } from './scratch';

const scratchOf = (home: string, pid: number | undefined): Scratch =>
  new Scratch(home, { pid: pid ?? 0, startedAt: Date.now() });

test('what a worker that was killed left is removed; what a living one holds stays', () =>
  withTempDir(async (home) => {
    const living = spawn('sleep', ['60'], { stdio: 'ignore' });
    const killed = spawn('sleep', ['60'], { stdio: 'ignore' });
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    const held = await scratchOf(home, living.pid).make();
    await scratchOf(home, killed.pid).make();
    const own = new Scratch(home);
    const ours = await own.make();
    expect(await own.sweep()).toBe(1);
    expect((await readdir(home)).sort()).toEqual([basename(held), basename(ours)].sort());
    living.kill('SIGKILL');
    await once(living, 'exit');
    expect(await own.sweep()).toBe(1);
    expect(await readdir(home)).toEqual([basename(ours)]);
  }));

test('what bears our own process id and is older than we are is of an earlier process', () =>
  withTempDir(async (home) => {
    const earlier = await new Scratch(home).make();
    await utimes(earlier, new Date(0), new Date(0));
    const ours = await new Scratch(home).make();
    expect(await new Scratch(home).sweep()).toBe(1);
    expect(await readdir(home)).toEqual([basename(ours)]);
  }));

test('folders of another host are left to it unless they are older than any work', () =>
  withTempDir(async (home) => {
    const other = join(home, 'otherhost-1-abc');
    await mkdir(other, { recursive: true });
    expect(await new Scratch(home).sweep()).toBe(0);
    const old = new Date(Date.now() - 8 * 86_400_000);
    await utimes(other, old, old);
    expect(await new Scratch(home).sweep()).toBe(1);
  }));
