import type { AgentRun } from './trial-agent.port';

/** The task itself, with the bounds that the agent works under. */
export function taskPrompt({ task, limits, deadline, sandbox }: AgentRun): string {
  const seconds = Math.max(0, Math.round((deadline.getTime() - Date.now()) / 1000));
  const turns = limits.turns === null ? '' : ` and ${limits.turns} turns`;
  return [
    `Task: ${task.instanceId}`,
    `Working directory: ${sandbox.workdir}`,
    `You have ${seconds} seconds${turns}.`,
    '',
    task.instruction,
  ].join('\n');
}
