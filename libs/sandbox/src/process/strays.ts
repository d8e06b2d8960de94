import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { codeOf } from '../system-error';

/** Set for every command, so that what left its process group is still found. Value: `<sandbox>.<number of command>`. */
export const MARKER = 'ASSAY_SANDBOX_EXEC';

export interface StrayFilter {
  /** Value of the marker, or its beginning when it ends in a dot (all commands of a sandbox). */
  readonly marker: string;
  /** Also what has its working directory here or below: it may have dropped its environment. */
  readonly dir: string | null;
}

/**
 * Kills every process that the filter finds and all that descend from one, again and again until none is left (a fork
 * may be under way while we look). Where there is no /proc (not Linux) it finds nothing: only process groups are killed.
 * @returns false when some were left after ten rounds
 */
export async function killStrays(filter: StrayFilter): Promise<boolean> {
  for (let round = 0; round < 10; round += 1) {
    const found = findStrays(filter);
    if (found.length === 0) return true;
    for (const pid of found) killQuietly(pid);
    await delay(round === 0 ? 2 : 20);
  }
  return findStrays(filter).length === 0;
}

/** Kills a process, or with a negative id its group; that it is gone already is what we wanted. */
export function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    const code = codeOf(error);
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}

function findStrays({ marker, dir }: StrayFilter): number[] {
  const exact = Buffer.from(marker.endsWith('.') ? `${MARKER}=${marker}` : `${MARKER}=${marker}\0`);
  const parents = new Map<number, number>();
  const found = new Set<number>();
  for (const pid of allProcesses()) {
    parents.set(pid, parentOf(pid));
    if (environmentHas(pid, exact) || (dir !== null && worksBelow(pid, dir))) found.add(pid);
  }
  // A child may show neither marker nor folder while its parent does.
  for (const pid of parents.keys()) {
    for (let up = parents.get(pid) ?? 0, depth = 0; up > 1 && depth < 64; up = parents.get(up) ?? 0, depth += 1) {
      if (found.has(up)) found.add(pid);
    }
  }
  found.delete(process.pid);
  return [...found];
}

function allProcesses(): number[] {
  return (orNull(() => readdirSync('/proc')) ?? []).filter((name) => /^\d+$/.test(name)).map(Number);
}

function environmentHas(pid: number, wanted: Buffer): boolean {
  return orNull(() => readFileSync(`/proc/${pid}/environ`))?.includes(wanted) ?? false;
}

function worksBelow(pid: number, dir: string): boolean {
  const cwd = orNull(() => readlinkSync(`/proc/${pid}/cwd`)) ?? '';
  return cwd === dir || cwd.startsWith(`${dir}/`);
}

function parentOf(pid: number): number {
  const stat = orNull(() => readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? '';
  // pid (name with anything) state ppid
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? 0);
}

/** Processes end while we look at them, and those of other users may not be looked at: both are no hits. */
function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
