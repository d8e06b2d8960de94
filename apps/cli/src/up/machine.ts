import { ExitError, say } from '../output';
import { startBackends, type Backends } from './backends';
import { Children } from './children';
import { chooseSandbox, type SandboxChoice } from './sandbox-choice';
import { clearLogs, StateFolder } from './state-folder';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** What a deployment on this machine stands on. */
export interface Machine {
  readonly state: StateFolder;
  readonly backends: Backends;
  readonly choice: SandboxChoice;
  readonly children: Children;
  /** Raised with an ExitError when a child dies or a signal asks us to stop. */
  readonly signal: AbortSignal;
}

export interface MachineOptions {
  readonly stateDir: string;
  /** Null: docker when it can be used, else process. */
  readonly sandbox: 'docker' | 'process' | null;
}

/**
 * Takes the state folder, starts PostgreSQL and NATS, and does `work`. Whatever goes wrong, everything that was started
 * is stopped before this rejects, with an ExitError whose one line says why (130 without a line for a signal).
 */
export async function onThisMachine<T>(
  { stateDir, sandbox }: MachineOptions,
  work: (machine: Machine) => Promise<T>,
): Promise<T> {
  const state = openState(stateDir);
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
  try {
    const choice = await untilStopped(stopper.signal, chooseSandbox(sandbox, say));
    backends = await startBackends(state, say);
    return await untilStopped(stopper.signal, work({ state, backends, choice, children, signal: stopper.signal }));
  } catch (error) {
    throw error instanceof ExitError ? error : new ExitError(1, error instanceof Error ? error.message : String(error));
  } finally {
    await children.stop();
    await backends?.stop();
    state.unlock();
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

/** Rejects with the reason of the signal when it is raised; never before. */
export function forever(signal: AbortSignal): Promise<never> {
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
