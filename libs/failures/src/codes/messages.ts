import type { FailureEntries } from './failure-entry';

/** What goes wrong between our own processes, and with the lease of a piece of work. */
export const MESSAGES_CODES = {
  lease_lost: {
    blame: ['infra'],
    meaning: 'The worker was silent for longer than its lease, or its work is no longer its own.',
    operator: 'Check whether the worker died, and its way to NATS; the work is done again.',
  },
  work_cancelled: {
    blame: ['infra'],
    meaning: 'The run of this work was cancelled.',
    operator: 'Nothing: its run is over.',
  },
  run_budget_reached: {
    blame: ['task'],
    meaning: "The budget of the whole run (the suite's `runLimits`) was used up before this trial had its due.",
    operator: 'Nothing, if that was meant. Else raise the budget and submit the run again.',
  },
  worker_shutdown: {
    blame: ['infra'],
    meaning: 'The worker shuts down and gives its work back.',
    operator: 'Nothing: another one takes it.',
  },
  work_deadline: {
    blame: ['infra'],
    meaning: 'The work took longer than any such work may.',
    operator: 'Read the log of the worker for where it hung.',
  },
  nats_unreachable: {
    blame: ['infra'],
    meaning: 'NATS cannot be reached when a process starts.',
    operator: 'Check the address, the credentials and the health of NATS.',
  },
  nats_too_old: {
    blame: ['infra'],
    meaning: 'The NATS server is older than the oldest accepted.',
    operator: 'Update the NATS server.',
  },
  nats_away: {
    blame: ['infra'],
    meaning: 'The connection to NATS is down.',
    operator: 'Check the health of NATS; the process connects again by itself.',
  },
  stream_layout: {
    blame: ['infra'],
    meaning: 'The streams in NATS cannot be made as they are needed.',
    operator: "Read the reason; check JetStream's limits and rights.",
  },
  publish_failed: {
    blame: ['infra'],
    meaning: 'A message cannot be handed to NATS.',
    operator: 'Check the health and the disk of NATS; the message is kept and sent again.',
  },
  malformed_result: {
    blame: ['contract'],
    meaning: 'A stored result message is none.',
    operator: 'Check that workers and coordinator are of one build.',
  },
  rpc_bad_request: {
    blame: ['contract'],
    meaning: 'A request between our processes breaks the contract.',
    operator: 'Check that all processes are of one build.',
  },
  rpc_bad_reply: {
    blame: ['contract'],
    meaning: 'A reply between our processes breaks the contract.',
    operator: 'Check that all processes are of one build.',
  },
  rpc_failed: {
    blame: ['infra'],
    meaning: 'The process that was asked failed.',
    operator: 'Read the log of the process that answers.',
  },
  rpc_timeout: {
    blame: ['infra'],
    meaning: 'The process that was asked did not answer in time.',
    operator: 'Check its load, and that of the database behind it.',
  },
  rpc_unavailable: {
    blame: ['infra'],
    meaning: 'No process answers this request.',
    operator: 'Start the coordinator, and check NATS.',
  },
  not_offered: {
    blame: ['infra'],
    meaning: 'A part of the messaging library is used as it does not allow.',
    operator: 'Report it: this is a mistake in the code.',
  },
  duplicate_handler: {
    blame: ['infra'],
    meaning: 'Two handlers wait for the same message.',
    operator: 'Report it: this is a mistake in the code.',
  },
  unknown_handler: {
    blame: ['infra'],
    meaning: 'A handler lacks one of our decorators.',
    operator: 'Report it: this is a mistake in the code.',
  },
  no_worker: {
    blame: ['infra'],
    meaning: 'A process handles work, and was not told how much of it.',
    operator: 'Report it: this is a mistake in the code.',
  },
} as const satisfies FailureEntries;
