import type { AgentReport, AgentRun, TrialAgent } from '@assay/agents';
import { NO_MODEL, NO_USAGE } from '@assay/agents';
import { AgentError } from '@assay/failures';
import type { WorkContext } from '@assay/messaging';
import { runAgent } from './agent-session';
import type { PreparedTrial } from './trial-preparer';

const REPORT: AgentReport = { limit: null, usage: NO_USAGE, model: NO_MODEL, steps: [], crash: null };
const outputs = { steps: { step: () => undefined, observed: () => undefined }, ownLogsDir: '/nowhere' };

interface Signals {
  readonly lease?: AbortSignal;
  readonly trialSpent?: AbortSignal;
  readonly runSpent?: AbortSignal;
}

/** A sandbox of which `killed` tells that it was. */
function killable() {
  let kill: () => void = () => undefined;
  const killed = new Promise<void>((resolve) => (kill = resolve));
  const sandbox = {
    kill: () => {
      kill();
      return Promise.resolve();
    },
  };
  return { sandbox, killed };
}

function session(
  run: (run: AgentRun) => Promise<AgentReport>,
  { lease, trialSpent, runSpent }: Signals,
  { seconds = 60, sandbox = killable().sandbox } = {},
) {
  const never = new AbortController().signal;
  const agent: TrialAgent = { name: 'a', version: '1', model: 'none', run };
  const model = { spent: trialSpent ?? never, endpoint: null, inside: () => null };
  const trial = { agent, model, seconds, task: {}, sandbox, layer: null } as unknown as PreparedTrial;
  const work = {
    spec: { limits: {}, agent: { options: {} }, model: 'm' },
    signal: lease ?? never,
    runBudget: { spent: runSpent ?? never, reached: () => null },
  } as unknown as WorkContext<'trial'>;
  return runAgent(trial, work, outputs, 20);
}

const heeds = ({ signal }: AgentRun) =>
  new Promise<AgentReport>((resolve) => {
    const stop = () => {
      resolve({ ...REPORT, limit: 'time' });
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop);
  });

test('an agent that ends reports; one that throws with blame is told of', async () => {
  expect((await session(() => Promise.resolve(REPORT), {})).report).toBe(REPORT);
  const crash = new AgentError('exit 1', { code: 'agent_crashed', phase: 'agent' });
  expect((await session(() => Promise.reject(crash), {})).report).toBe(crash);
});

test.each<[string, Signals, number]>([
  ['at its deadline', {}, 0.02],
  ['when its own budget is spent', { trialSpent: AbortSignal.abort() }, 60],
  ['when the budget of its run is spent', { runSpent: AbortSignal.abort() }, 60],
])('it is told to stop %s, and its report is taken', async (_name, signals, seconds) => {
  expect((await session(heeds, signals, { seconds })).report).toMatchObject({ limit: 'time' });
});

test('one that waits for its sandbox when it is told to stop has it killed, and its report is taken', async () => {
  const { sandbox, killed } = killable();
  const waits = () => killed.then((): AgentReport => ({ ...REPORT, limit: 'time' }));
  const { report } = await session(waits, { trialSpent: AbortSignal.abort() }, { sandbox });
  expect(report).toMatchObject({ limit: 'time' });
});

test('one that does not stop is left behind: our fault, since its sandbox could not be had back', async () => {
  const never = () => new Promise<AgentReport>(() => undefined);
  const { report } = await session(never, { runSpent: AbortSignal.abort() });
  expect(report).toMatchObject({ blame: 'infra', code: 'agent_unstoppable' });
});

test('when the work is not ours any more nothing is reported', async () => {
  const lease = AbortSignal.abort(new Error('the lease is lost'));
  await expect(session(heeds, { lease })).rejects.toThrow('the lease is lost');
});
