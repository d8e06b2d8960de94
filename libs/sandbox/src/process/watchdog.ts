import { spawn } from 'node:child_process';
import { killQuietly, MARKER } from './strays';

/**
 * A shell of its own session that sleeps until the sandbox's deadline and then kills whatever carries its marker: it
 * does so also when the executor was killed. It looks twice, because a fork may have been under way. Needs /proc.
 */
const SCRIPT = `
sleep "$1"
for round in 1 2; do
  for file in /proc/[0-9]*/environ; do
    if grep -qaF "$2" "$file" 2>/dev/null; then
      pid=\${file#/proc/}
      kill -9 "\${pid%/environ}" 2>/dev/null
    fi
  done
done
`;

/** Starts the watchdog of a sandbox and returns how to call it off. */
export function startWatchdog(sandboxId: string, lifetimeSeconds: number, path: string): () => void {
  const seconds = String(Math.max(0.1, lifetimeSeconds));
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'watchdog', seconds, `${MARKER}=${sandboxId}.`], {
    cwd: '/',
    detached: true,
    stdio: 'ignore',
    env: { PATH: path },
  });
  // Without it the deadline is still kept by the reaper and by every command's own timer.
  child.once('error', () => undefined);
  child.unref();
  return () => {
    if (child.pid !== undefined && child.exitCode === null) killQuietly(-child.pid);
  };
}
