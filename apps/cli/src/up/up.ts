import type { RunView } from '@assay/contracts';
import { join, resolve } from 'node:path';
import { ExitError, say } from '../output';
import { projectRoot } from '../project-root';
import { startBackends, type Backends } from './backends';
import { Children } from './children';
import { chooseSandbox } from './sandbox-choice';
import { clearLogs, StateFolder } from './state-folder';
import { startDeployment, type Deployment } from './deployment';
import { runDemo } from './demo-run';
import { preflight } from './preflight';
import { report, writeResult } from './report';
import type { UpOptions } from './up-options';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * A whole deployment on this machine: check, start, submit, watch, report, stop. Whatever goes wrong, everything that
 * was started is stopped before the one line that says why.
 */
export async function up(options: UpOptions): Promise<void> {
  const plan = await preflight(options, projectRoot());
  const state = openState(resolve(options.stateDir ?? join(projectRoot(), '.assay')));
  const stopper = new AbortController();
  const children = new Children(state, (line) => {
    stopper.abort(new ExitError(1, line));
  });
  const onSignal = (): void => {
    stopper.abort(new ExitError(130));
  };
  // For good: a terminal and `npm start` may both hand on one Ctrl-C, and a second must not end us amid the stopping.
  for (const signal of SIGNALS) process.on(signal, onSignal);
  let backends: Backends | null = null;
  let stopped = false;
  try {
    const choice = await untilStopped(stopper.signal, chooseSandbox(plan.sandbox, say));
    backends = await startBackends(state, say);
    const deployment = await untilStopped(
      stopper.signal,
      startDeployment({ plan, options, state, backends, choice, children, signal: stopper.signal, note: say }),
    );
    const run = await untilStopped(stopper.signal, runDemo(deployment, plan, stopper.signal));
    await conclude(deployment, run, options);
    if (!options.once) await forever(stopper.signal);
    stopped = true;
    await stopAll(children, backends, state);
    process.exitCode = exitCodeOf(run);
  } catch (error) {
    if (!stopped) await stopAll(children, backends, state);
    // Ctrl-C after the verdict is the asked-for end.
    if (error instanceof ExitError && error.code === 130 && !options.once) return;
    throw error instanceof ExitError ? error : new ExitError(1, error instanceof Error ? error.message : String(error));
  } finally {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  }
}

/** The state folder, taken for this process. Throws ExitError with one line when it cannot be made or is held. */
function openState(dir: string): StateFolder {
  try {
    const state = new StateFolder(dir);
    state.lock();
    clearLogs(state.logs);
    return state;
  } catch (error) {
    if (error instanceof ExitError) throw error;
    throw new ExitError(1, `--state-dir ${dir}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function conclude(deployment: Deployment, run: RunView, options: UpOptions): Promise<void> {
  say(await report(deployment, run));
  if (options.jsonFile !== null) writeResult(options.jsonFile, run);
  if (!options.once) say('\nrunning until Ctrl-C');
}

/** 0 SUCCEEDED, 3 QUARANTINED, 1 anything else. */
function exitCodeOf({ state }: RunView): number {
  if (state === 'SUCCEEDED') return 0;
  return state === 'QUARANTINED' ? 3 : 1;
}

async function stopAll(children: Children, backends: Backends | null, state: StateFolder): Promise<void> {
  await children.stop();
  await backends?.stop();
  state.unlock();
}

function forever(signal: AbortSignal): Promise<never> {
  return untilStopped(signal, new Promise<never>(() => undefined));
}

/** The work's result, or the reason of the signal as soon as it is raised. */
async function untilStopped<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  signal.throwIfAborted();
  let onAbort: () => void = () => undefined;
  const raised = new Promise<never>((_, reject) => {
    onAbort = () => {
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', onAbort, { once: true });
  });
  // A node process with nothing but promises ends: the timer keeps it while we wait.
  const keep = setInterval(() => undefined, 60_000);
  try {
    return await Promise.race([work, raised]);
  } finally {
    clearInterval(keep);
    signal.removeEventListener('abort', onAbort);
    work.catch(() => undefined); // it lost the race: its own failure says nothing new
  }
}
