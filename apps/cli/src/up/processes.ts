import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { pause } from './readiness';

/** A process, and when it began (clock ticks since boot): a pid that was given to another process has another one. */
export interface ProcessRecord {
  readonly pid: number;
  readonly started: string;
}

/** Null when there is no such process. */
export function recordOf(pid: number): ProcessRecord | null {
  const started = startedOf(pid);
  return started === null ? null : { pid, started };
}

export function isAlive({ pid, started }: ProcessRecord): boolean {
  return startedOf(pid) === started;
}

/** Ends each with its process group by SIGKILL and waits (5 s at most) until they are gone. */
export async function killAll(processes: readonly ProcessRecord[]): Promise<void> {
  for (const process of processes) if (isAlive(process)) killGroup(process.pid);
  await until(() => !processes.some(isAlive), 5_000);
}

/**
 * Ends by SIGKILL whatever has this text in its environment. Commands of sandboxes have sessions of their own and
 * outlive a killed executor: their environment tells whose they are. Without /proc it does nothing.
 */
export function killMarked(mark: string): void {
  if (!existsSync('/proc/self/environ')) return;
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    if (environOf(pid).includes(mark)) killGroup(pid);
  }
}

/** True as soon as it holds, looking every 50 ms; false after the time. */
export async function until(holds: () => boolean, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (!holds()) {
    if (Date.now() > deadline) return false;
    await pause(50);
  }
  return true;
}

/** Null when there is no such process (or no /proc to ask). */
function startedOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? null : (fields[19] ?? null);
  } catch {
    return existsSync('/proc/self/stat') || !aliveWithoutProc(pid) ? null : 'alive';
  }
}

function aliveWithoutProc(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Empty for a process that is gone or not ours to look at. */
function environOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return '';
  }
}

function killGroup(pid: number): void {
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, 'SIGKILL');
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}
