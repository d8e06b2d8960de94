import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { eventually } from '@assay/testing';
import { ProcessGroups } from './process-groups';
import { killQuietly } from './strays';

const started: number[] = [];
afterEach(() => {
  for (const pid of started.splice(0)) killQuietly(-pid);
});

/** A shell that leads a group of its own. */
function leader(script: string): ChildProcess & { readonly pid: number } {
  const child = spawn('/bin/sh', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  if (child.pid === undefined) throw new Error('/bin/sh cannot be started');
  started.push(child.pid);
  return child as ChildProcess & { readonly pid: number };
}

/** Whether a process is there; an orphan that ended is waited for by init. */
function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The process id that a shell prints of what it leaves behind. */
async function orphanOf(child: ChildProcess): Promise<number> {
  const [[line]] = await Promise.all([once(child.stdout!, 'data') as Promise<[Buffer]>, once(child, 'exit')]);
  return Number(line.toString());
}

test('a group whose leader runs is killed', async () => {
  const groups = new ProcessGroups();
  const child = leader('sleep 60 & wait');
  groups.begun(child.pid);
  const exit = once(child, 'exit');
  groups.kill();
  expect(await exit).toEqual([null, 'SIGKILL']);
});

test('what a leader has left behind in its group is killed', async () => {
  const groups = new ProcessGroups();
  const child = leader('sleep 60 >/dev/null & echo $!');
  groups.begun(child.pid);
  const orphan = await orphanOf(child);
  groups.ended(child.pid);
  expect(lives(orphan)).toBe(true);
  groups.kill();
  await eventually(() => !lives(orphan));
});

test('a stranger that was given the number of a group that died out is let live, whenever it came', async () => {
  const groups = new ProcessGroups();
  const stranger = leader('sleep 60 & wait');
  groups.begun(stranger.pid);
  groups.ended(stranger.pid);
  groups.kill();
  groups.kill();
  const exit = once(stranger, 'exit');
  stranger.kill('SIGTERM');
  expect(await exit).toEqual([null, 'SIGTERM']);
});
