import type { AgentReport, ModelEndpoint } from '@assay/agents';
import { InfraError } from '@assay/failures';
import type { WorkContext } from '@assay/messaging';
import { AgentLog } from './agent-log';
import type { PreparedTrial } from './trial-preparer';

/** What an agent that was told to stop may take to do so before its sandbox is killed under it. */
const STOP_MS = 10_000;

/** An agent's run, bounded from outside: told its deadline, stopped at it, and left behind if it does not stop. */
export async function runAgent(
  { agent, task, sandbox, seconds }: PreparedTrial,
  work: WorkContext<'trial'>,
  endpoint: ModelEndpoint | null,
): Promise<{ report: AgentReport; log: AgentLog }> {
  const { spec, signal } = work;
  const log = new AgentLog();
  const deadline = new Date(Date.now() + seconds * 1000);
  const timeUp = AbortSignal.timeout(seconds * 1000);
  const stop = AbortSignal.any([signal, timeUp]);
  const running = agent.run({
    sandbox,
    task,
    limits: spec.limits,
    options: spec.agent.options,
    model: spec.model,
    endpoint,
    deadline,
    signal: stop,
    log: (text) => {
      log.write(text);
    },
  });
  const left = leftBehind(stop);
  try {
    const report = await Promise.race([running, left.promise]);
    signal.throwIfAborted();
    return { report, log };
  } finally {
    left.cancel();
    running.catch(() => undefined); // its sandbox is killed next: how it ends then says nothing
  }
}

/** Rejects some seconds after `stop` was raised. */
function leftBehind(stop: AbortSignal): { promise: Promise<never>; cancel: () => void } {
  let timer: NodeJS.Timeout | undefined;
  let onAbort: () => void = () => undefined;
  const promise = new Promise<never>((_, reject) => {
    onAbort = () => {
      timer = setTimeout(() => {
        reject(new InfraError('the agent did not stop when told to', { code: 'agent_unstoppable', phase: 'agent' }));
      }, STOP_MS);
    };
    stop.addEventListener('abort', onAbort, { once: true });
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
