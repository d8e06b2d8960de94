import { ExitError, say, UsageError } from '../output';
import { startBackends, type Backends } from './backends';
import { Children } from './children';
import { requireSpace } from './free-space';
import { requireArtifacts } from './given-artifacts';
import { givenServers, type GivenServers } from './given-servers';
import type { SandboxChoice } from './sandbox-choice';
import { givenNamespace } from './services';
import { clearLogs, namespaceOf, StateFolder } from './state-folder';
import { Stopper } from './stopper';
import { Stops, wordsOf } from './stops';

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
  /** Looks at what an earlier start that was killed may have held, when that is ended. Rejects where nothing can start. */
  readonly beforeStart?: () => Promise<void>;
  /** Where trials and tests shall run. Throws ExitError where they cannot. */
  readonly chooseSandbox: (how: { note: (line: string) => void; signal: AbortSignal }) => Promise<SandboxChoice>;
}

/**
 * Checks room and servers, takes the state folder, starts PostgreSQL and NATS, and does `work`. Whatever goes wrong,
 * everything that was started is stopped before this rejects, with an ExitError whose one line says why (128 + n without
 * a line for signal n), or with a UsageError for a wrong setting, before anything is started.
 */
export async function onThisMachine<T>(options: MachineOptions, work: (machine: Machine) => Promise<T>): Promise<T> {
  const given = await givenServers(process.env);
  await requireArtifacts(process.env, givenNamespace(process.env) ?? namespaceOf(options.stateDir));
  requireSpace(options.stateDir);
  const stops = new Stops();
  const outcome = await workOn(options, given, { stops, work }).then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  const failures = await stops.all();
  if ('value' in outcome && failures.length === 0) return outcome.value;
  throw reasonOf('error' in outcome ? outcome.error : null, failures);
}

async function workOn<T>(
  { stateDir, beforeStart = () => Promise.resolve(), chooseSandbox }: MachineOptions,
  given: GivenServers,
  { stops, work }: { readonly stops: Stops; readonly work: (machine: Machine) => Promise<T> },
): Promise<T> {
  const stopper = new Stopper();
  const { signal } = stopper;
  stopper.listen();
  stops.add(() => {
    stopper.end();
  });
  const state = await openState(stateDir, signal);
  stops.add(() => {
    state.release();
  });
  await beforeStart();
  const choice = await untilStopped(signal, chooseSandbox({ note: say, signal }));
  const backends = await startBackends({ state, given, note: say, signal });
  stops.add(() => backends.stop());
  const children = new Children(state, (line) => {
    stopper.stop(new ExitError(1, line));
  });
  stops.add(() => children.stop());
  stops.add(() => {
    state.noteStopping();
  });
  return untilStopped(signal, work({ state, backends, choice, children, signal }));
}

/** Why it ended, and what could not be stopped; null where the work itself was done. */
function reasonOf(error: unknown, failures: readonly string[]): Error {
  const known = error instanceof ExitError || error instanceof UsageError;
  if (known && failures.length === 0) return error;
  const said = error === null ? '' : wordsOf(error);
  const lines = [said, ...failures].filter((line) => line !== '');
  return new ExitError(error instanceof ExitError ? error.code : 1, lines.join('\n'));
}

/** The state folder, taken for this process. Throws ExitError with one line when it cannot be made or is held. */
async function openState(dir: string, signal: AbortSignal): Promise<StateFolder> {
  try {
    const state = new StateFolder(dir);
    await state.take({ note: say, signal });
    clearLogs(state.logs);
    return state;
  } catch (error) {
    if (error instanceof ExitError) throw error;
    throw new ExitError(1, `--state-dir ${dir}: ${wordsOf(error)}`);
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
