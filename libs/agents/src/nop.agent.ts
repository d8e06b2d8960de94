import { NO_MODEL, NO_USAGE, type AgentReport, type TrialAgent } from './trial-agent.port';

/** Does nothing: what a benchmark resolves for it, it resolves for everybody. */
export const nopAgent: TrialAgent = {
  name: 'nop',
  version: '1.0.0',
  model: 'none',
  run: (): Promise<AgentReport> =>
    Promise.resolve({ limit: null, usage: NO_USAGE, model: NO_MODEL, steps: [], crash: null }),
};
