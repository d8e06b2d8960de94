import { spawn } from 'node:child_process';
import { killQuietly, MARKER } from './strays';

/**
 * A shell of its own session that sleeps until the sandbox's deadline, or until the executor that started it is gone (its
 * parent is another then: nobody can take the results any more), and then kills whatever carries its marker. It looks
 * twice, because a fork may have been under way. Needs /proc.
 */
const SCRIPT = `
look=0
while [ "$look" -lt "$1" ]; do
  sleep "$2"
  look=$((look + 1))
  if read -r pid name state parent rest 2>/dev/null <"/proc/$$/stat" && [ "$parent" != "$4" ]; then break; fi
done
for round in 1 2; do
  for file in /proc/[0-9]*/environ; do
    if grep -qaF "$3" "$file" 2>/dev/null; then
      pid=\${file#/proc/}
      kill -9 "\${pid%/environ}" 2>/dev/null
    fi
  done
done
`;

/** Between two looks at whether the executor is there. Seconds. */
const LOOK_SECONDS = 5;

export interface Watch {
  /** What the sandbox's commands carry, each with a dot and a number. */
  readonly mark: string;
  readonly lifetimeSeconds: number;
  /** Process id of the executor, which must be the one that starts the shell. */
  readonly owner: number;
  readonly lookSeconds?: number;
}

/** Arguments of `/bin/sh` for a watchdog. */
export function watchdogArguments({ mark, lifetimeSeconds, owner, lookSeconds = LOOK_SECONDS }: Watch): string[] {
  const seconds = Math.max(0.1, lifetimeSeconds);
  const looks = Math.ceil(seconds / lookSeconds);
  const numbers = [String(looks), String(seconds / looks)];
  return ['-c', SCRIPT, 'watchdog', ...numbers, `${MARKER}=${mark}.`, String(owner)];
}

/** Starts the watchdog of a sandbox and returns how to call it off. */
export function startWatchdog(mark: string, lifetimeSeconds: number, path: string): () => void {
  const child = spawn('/bin/sh', watchdogArguments({ mark, lifetimeSeconds, owner: process.pid }), {
    cwd: '/',
    detached: true,
    stdio: 'ignore',
    env: { PATH: path },
  });
  // Without it the deadline is still kept by the reaper and by every command's own timer.
  child.once('error', () => undefined);
  child.unref();
  return () => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) killQuietly(-child.pid);
  };
}
