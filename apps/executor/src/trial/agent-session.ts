import { placedAt, type AgentReport, type AgentRun, type StepSink } from '@assay/agents';
import { BlamedError, InfraError } from '@assay/failures';
import type { WorkContext } from '@assay/messaging';
import type { Sandbox } from '@assay/sandbox';
import { AgentLog } from './agent-log';
import type { PreparedTrial } from './trial-preparer';

/** What an agent whose sandbox is killed may take to report; the engine may take some seconds to kill many processes. */
const STOP_MS = 30_000;

/** An agent's run: what it reports, or why it could not; and its log either way. */
export interface AgentSession {
  readonly report: AgentReport | BlamedError;
  readonly log: AgentLog;
}

/** Beside the trial itself: who is told of steps, and where the agent's own files go. */
export interface SessionOutputs {
  readonly steps: StepSink;
  readonly ownLogsDir: string;
}

/**
 * An agent's run, bounded from outside: told its deadline, stopped at it or when its budget or that of the run is spent. Its
 * sandbox is killed first, which ends whatever it waits for there; left behind if it does not stop even so. Rejects when the
 * work is not ours any more.
 * @param stopMs what an agent that was told to stop may take to do so
 */
export async function runAgent(
  trial: PreparedTrial,
  { spec, signal, runBudget }: WorkContext<'trial'>,
  outputs: SessionOutputs,
  stopMs = STOP_MS,
): Promise<AgentSession> {
  const { agent, model, seconds } = trial;
  const log = new AgentLog();
  const deadline = new Date(Date.now() + seconds * 1000);
  const over = AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000), model.spent, runBudget.spent]);
  const stop = stoppedBy(over, trial.sandbox);
  const running = agent.run({
    ...placed(trial),
    ...outputs,
    task: trial.task,
    limits: spec.limits,
    options: spec.agent.options,
    model: spec.model,
    endpoint: model.endpoint,
    deadline,
    signal: stop,
    log: (text) => {
      log.write(text);
    },
  });
  const left = leftBehind(stop, stopMs);
  try {
    const report = await Promise.race([running, left.promise]);
    signal.throwIfAborted();
    return { report, log };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof BlamedError) return { report: error, log };
    throw error;
  } finally {
    left.cancel();
    running.catch(() => undefined); // its sandbox is killed next: how it ends then says nothing
  }
}

/** The parts of the run that lie in the sandbox. */
function placed({ sandbox, model, layer }: PreparedTrial): Pick<AgentRun, 'sandbox' | 'gateway' | 'layer'> {
  return {
    sandbox,
    gateway: model.inside(sandbox),
    layer: layer === null ? null : placedAt(layer, sandbox.inside(layer.hostDir)),
  };
}

/**
 * Raised with `over`, once the engine was asked to kill the sandbox: inside it may be so busy that no command that would
 * end another can be started, and a command that is being started would be in the way.
 */
function stoppedBy(over: AbortSignal, sandbox: Sandbox): AbortSignal {
  const stop = new AbortController();
  const end = (): void => {
    sandbox.kill().catch(() => undefined); // it is killed once more after the run, and that tells what is wrong
    stop.abort(over.reason);
  };
  if (over.aborted) end();
  else over.addEventListener('abort', end, { once: true });
  return stop.signal;
}

/** Rejects a while after `stop` was raised. */
function leftBehind(stop: AbortSignal, stopMs: number): { promise: Promise<never>; cancel: () => void } {
  let timer: NodeJS.Timeout | undefined;
  let onAbort: () => void = () => undefined;
  const promise = new Promise<never>((_, reject) => {
    onAbort = () => {
      timer = setTimeout(() => {
        reject(new InfraError('the agent did not stop when told to', { code: 'agent_unstoppable', phase: 'agent' }));
      }, stopMs);
    };
    // A signal that was raised before tells nobody again.
    if (stop.aborted) onAbort();
    else stop.addEventListener('abort', onAbort, { once: true });
  });
  promise.catch(() => undefined); // raced above; nobody else listens
  return {
    promise,
    cancel: () => {
      clearTimeout(timer);
      stop.removeEventListener('abort', onAbort);
    },
  };
}
