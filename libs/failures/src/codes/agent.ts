import type { FailureEntries } from './failure-entry';

/** What ends a trial while the agent runs. */
export const AGENT_CODES = {
  agent_crashed: {
    blame: ['agent'],
    meaning: 'The agent ended with an error of its own, or was killed.',
    operator: "Read the agent's log and its exit code in the details.",
  },
  agent_out_of_memory: {
    blame: ['agent'],
    meaning: 'The agent used up the memory of its sandbox.',
    operator: "Nothing; raise the suite's memory limit if every agent meets it.",
  },
  probe_failed: {
    blame: ['infra'],
    meaning:
      'An infrastructure check failed: no command could be run in the sandbox, or the gateway did not answer in it.',
    operator: "Read the trial's log, then look at the executor's engine and its gateway.",
  },
  agent_malformed: {
    blame: ['agent'],
    meaning: "The agent's replies hold nothing that can be run.",
    operator: "Read the trajectory: the model does not follow the agent's format.",
  },
  agent_context_exceeded: {
    blame: ['agent'],
    meaning: 'The conversation grew longer than the model takes.',
    operator: "Nothing; it is the agent's task to keep it short.",
  },
  agent_options_invalid: {
    blame: ['task'],
    meaning: 'The options of the generic command agent are wrong.',
    operator: "Correct the agent's options in the suite.",
  },
  agent_misconfigured: {
    blame: ['infra'],
    meaning: 'The agent refuses how it was started.',
    operator: 'Check the adapter against this version of the agent.',
  },
  agent_not_started: {
    blame: ['infra'],
    meaning: "The agent's program cannot be started in the sandbox.",
    operator: "Check that the package and its runtime fit the task's image.",
  },
  agent_layer_missing: {
    blame: ['infra'],
    meaning: "The agent's package is not in the sandbox.",
    operator: "Check the executor's folder of layers.",
  },
  agent_home_unwritable: {
    blame: ['infra'],
    meaning: "The agent's home cannot be made in the sandbox.",
    operator: "Check the user and the file system of the task's image.",
  },
  agent_version_differs: {
    blame: ['infra'],
    meaning: 'The agent says that it is another version than the one to be measured.',
    operator: 'Check the package, and whether the image brings a copy of its own.',
  },
  agent_unstoppable: {
    blame: ['infra'],
    meaning: 'The agent did not stop within its bound when it was told to.',
    operator: 'Check the engine; the sandbox is removed all the same.',
  },
  solution_missing: {
    blame: ['task'],
    meaning: 'The oracle was asked to solve a task that has no reference solution.',
    operator: 'Run the oracle on tasks with a solution only.',
  },
  limit_reached: {
    blame: ['agent'],
    meaning: 'The agent reached a limit, and the suite counts that as an error.',
    operator: 'Nothing; raise the limit, or set `onLimit: grade` in the suite.',
  },
  model_not_configured: {
    blame: ['infra'],
    meaning: 'The agent needs a model, and the executor has none.',
    operator: "Configure the model's address and key file on the executor.",
  },
  model_unavailable: {
    blame: ['infra'],
    meaning: "The model's provider failed, so that nothing is known about the agent.",
    operator: "Check the provider's status, quota and rate limit.",
  },
  model_refused: {
    blame: ['infra'],
    meaning: "The model's provider refuses our requests, and will again.",
    operator: 'Check the key, the account and the name of the model.',
  },
  record_incomplete: {
    blame: ['infra'],
    meaning: 'The exchanges with the model were not recorded whole.',
    operator: 'Check the disk of the executor.',
  },
  gateway_lost: {
    blame: ['infra'],
    meaning: 'The way from the sandbox to the model gateway broke.',
    operator: 'Check whether something else stops containers on this host.',
  },
  sandbox_gone: {
    blame: ['infra'],
    meaning: 'The sandbox was used after its removal.',
    operator: "Nothing at first; if it comes again, report it with the worker's log.",
  },
  sandbox_died: {
    blame: ['infra'],
    meaning: 'The sandbox ended under the command that ran in it.',
    operator: "Check the engine's log, and whether something else stops containers.",
  },
  exec_lost: {
    blame: ['infra'],
    meaning: 'The stream of a command ended before the command.',
    operator: 'Check the engine and its log.',
  },
  spawn_failed: {
    blame: ['infra'],
    meaning: 'A process cannot be started in the process sandbox.',
    operator: 'Check the limits on processes and memory of the worker.',
  },
  disk_exceeded: {
    blame: ['agent', 'task'],
    meaning: "The sandbox wrote more than its disk budget: by the agent's fault in a trial, by the task's in grading.",
    operator: "Nothing; raise the disk limit if every agent, or the task's own tests, meet it.",
  },
  agent_ended_sandbox: {
    blame: ['agent'],
    meaning: "The agent killed its sandbox's own first process, and with it everything in the sandbox.",
    operator: 'Nothing; read the trajectory for why.',
  },
  path_escapes_sandbox: {
    blame: ['agent'],
    meaning: 'Something that the agent left stands where a file is to be written.',
    operator: 'Nothing; read the trajectory for why.',
  },
} as const satisfies FailureEntries;
