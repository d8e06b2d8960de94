import { readdir, readFile } from 'node:fs/promises';

/** Ticks of /proc/<pid>/stat in a second (USER_HZ, 100 on every Linux that Node runs on). */
const TICKS_PER_SECOND = 100;

/**
 * CPU time of processes so far, in milliseconds, each with its children, those that ended included.
 * @param {Record<string, number>} pids by name
 */
export async function cpuMs(pids) {
  const stats = await allStats();
  return mapped(pids, (pid) => treeTicks(pid, stats) * (1000 / TICKS_PER_SECOND));
}

/** Resident memory of processes, without their children, in MiB. */
export async function residentMb(pids) {
  const entries = Object.entries(pids).map(async ([name, pid]) => {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    return [name, Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024)];
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** Own ticks, ticks of waited-for children, and parent of every process. */
async function allStats() {
  const stats = new Map();
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const text = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => null);
    if (text === null) continue;
    // The second field is a name in parentheses, which may hold spaces.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [parent, utime, stime, cutime, cstime] = [1, 11, 12, 13, 14].map((index) => Number(fields[index]));
    stats.set(Number(name), { parent, own: utime + stime, ended: cutime + cstime });
  }
  return stats;
}

function treeTicks(pid, stats) {
  const found = stats.get(pid);
  if (found === undefined) return 0;
  const children = [...stats].filter(([, { parent }]) => parent === pid);
  return children.reduce((sum, [child]) => sum + treeTicks(child, stats), found.own + found.ended);
}

function mapped(object, of) {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, of(value)]));
}
