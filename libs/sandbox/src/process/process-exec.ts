import { spawn, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { InfraError } from '@assay/failures';
import { BoundedOutput } from '../bounded-output';
import { ENTER_AND_RUN } from '../enter-and-run';
import type { ExecRequest, ExecResult } from '../sandbox.port';
import type { ProcessGroups } from './process-groups';
import { killQuietly, killStrays, MARKER } from './strays';

/** After the command has ended, what it left in its pipe is read for this long: a child of it may hold the pipe open. */
const DRAIN_MS = 250;

export interface ProcessCommand {
  readonly request: ExecRequest;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Value of the marker variable, unique to this command. */
  readonly marker: string;
  /** Told the command's process group as soon as it exists, and when its leader has ended. */
  readonly groups: ProcessGroups;
}

/** Runs one command in a process group of its own. Ends with the command, its deadline or its signal, nothing else. */
export async function runInGroup({ request, cwd, env, marker, groups }: ProcessCommand): Promise<ExecResult> {
  const started = Date.now();
  const output = new BoundedOutput(request.maxOutputBytes, request.onOutput);
  if (request.signal?.aborted === true) return killedResult(output, { timedOut: false, started });
  const child = begun(['-c', ENTER_AND_RUN, 'sh', cwd, ...request.command], { ...env, [MARKER]: marker });
  child.stdout.on('data', (chunk: Buffer) => {
    output.push(chunk);
  });
  const death: { why: 'time' | 'signal' | null } = { why: null };
  let hasEnded = false;
  const kill = (why: 'time' | 'signal') => {
    if (hasEnded) return;
    death.why ??= why;
    if (child.pid !== undefined) killQuietly(-child.pid);
  };
  const timer = setTimeout(kill, request.timeoutMs, 'time');
  const onAbort = () => {
    kill('signal');
  };
  request.signal?.addEventListener('abort', onAbort, { once: true });
  try {
    const ending = ended(child);
    if (child.pid !== undefined) groups.begun(child.pid);
    const exit = await ending;
    hasEnded = true;
    if (child.pid !== undefined) groups.ended(child.pid);
    // One that left the group (setsid) still has the marker.
    if (death.why !== null) await killStrays({ marker, dir: null });
    await drained(child);
    if (death.why !== null) return killedResult(output, { timedOut: death.why === 'time', started });
    return { ...killedResult(output, { timedOut: false, started }), exitCode: exit };
  } finally {
    clearTimeout(timer);
    request.signal?.removeEventListener('abort', onAbort);
    child.stdout.destroy();
  }
}

function killedResult(
  output: BoundedOutput,
  { timedOut, started }: { timedOut: boolean; started: number },
): ExecResult {
  return {
    exitCode: null,
    output: output.bytes(),
    truncated: output.truncated,
    timedOut,
    // Nobody bounds a process sandbox's memory, so nobody kills for it.
    outOfMemory: false,
    durationMs: Date.now() - started,
  };
}

/** Node throws some of what keeps a program from starting (too long a command), and tells of the rest later. */
function begun(args: readonly string[], env: Readonly<Record<string, string>>) {
  try {
    return spawn('/bin/sh', args, { cwd: '/', env, detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  } catch (cause) {
    throw notSpawned(cause instanceof Error ? cause : new Error(String(cause)));
  }
}

function notSpawned(cause: Error): InfraError {
  return new InfraError(`cannot start a process: ${cause.message}`, { code: 'spawn_failed', phase: 'agent', cause });
}

/** Exit code of the child itself, 128 + n where a signal ended it; not of what it left behind. */
function ended(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', (cause) => {
      reject(notSpawned(cause));
    });
    child.once('exit', (code, signal) => {
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}

function drained(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.stdout === null || child.stdout.readableEnded || child.stdout.destroyed) {
      resolve();
      return;
    }
    const timer = setTimeout(resolve, DRAIN_MS);
    child.stdout.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
