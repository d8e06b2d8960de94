import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { withTempDir } from '@assay/testing';
import { Scratch } from './scratch';

test('what an executor that was killed left is removed; what a living one holds stays', () =>
  withTempDir(async (dir) => {
    const living = spawn('sleep', ['60'], { stdio: 'ignore' });
    const killed = spawn('sleep', ['60'], { stdio: 'ignore' });
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    const held = await new Scratch(dir, living.pid).make();
    await new Scratch(dir, killed.pid).make();
    expect(await new Scratch(dir).sweep()).toBe(1);
    expect(await readdir(join(dir, 'trials'))).toEqual([held.split('/').at(-1)]);
    living.kill('SIGKILL');
    await once(living, 'exit');
    expect(await new Scratch(dir).sweep()).toBe(1);
  }));

test('what bears our own process id before our first trial is of an earlier process', () =>
  withTempDir(async (dir) => {
    await new Scratch(dir).make();
    expect(await new Scratch(dir).sweep()).toBe(1);
  }));

test('folders of another host are left to it unless they are older than any trial', () =>
  withTempDir(async (dir) => {
    const other = join(dir, 'trials', 'otherhost-1-abc');
    await mkdir(other, { recursive: true });
    expect(await new Scratch(dir).sweep()).toBe(0);
    const old = new Date(Date.now() - 8 * 86_400_000);
    await utimes(other, old, old);
    expect(await new Scratch(dir).sweep()).toBe(1);
  }));
