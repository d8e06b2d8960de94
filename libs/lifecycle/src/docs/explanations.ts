import type { ChainSkip, ChainState, InstanceState, PublicationState, RunState } from '@assay/contracts';
import type { ChainEvent } from '../chain.machine';

/** What each state of a run means. A state without a sentence does not compile. */
export const RUN_STATES: Readonly<Record<RunState, string>> = {
  WAITING:
    'Submitted and stored; its tag or package is not there yet. A poller asks again at `next_at`, and `last_error` says what is missing.',
  QUEUED: 'Frozen: the manifest and all instances stand in the database, and nothing has been claimed yet.',
  RUNNING: 'A worker has claimed some of its work. It stays so until its last instance is terminal, waits included.',
  SUCCEEDED: 'Every instance is terminal and the gate found no rule broken. Only here may there be a score.',
  QUARANTINED:
    'Every instance is terminal, and at least one rule of the gate is broken: status, counts and reasons, no score. A run that was cancelled after freezing ends here.',
  FAILED:
    'It cannot be measured at all: its package never came, or its manifest cannot be made. There are no verdicts.',
  CANCELLED: 'Cancelled while it waited, before there were any instances.',
};

/** What each state of an instance means. */
export const INSTANCE_STATES: Readonly<Record<InstanceState, string>> = {
  QUEUED: 'A trial is due, and nobody has it.',
  PREPARING: 'An executor holds it and makes the sandbox: task, image, workspace.',
  RUNNING_AGENT: 'The agent works in the sandbox.',
  UPLOADING: 'The agent is done; patch, trajectory and logs go to the artifact store.',
  GRADING: 'The trial is recorded. A grade is due or under way, in a fresh sandbox.',
  RETRY_WAIT:
    'Its last trial or grade failed by our fault, and the next is due at `next_try_at`: 60, 120, 240 s after tries 1, 2 and 3 unless the manifest says otherwise. The wait lives in PostgreSQL. A result that comes late, after its lease has expired, is still taken here.',
  RESOLVED: 'Graded: the tests pass.',
  UNRESOLVED: 'Graded: the tests do not pass, or the agent changed nothing although its model answered.',
  EXECUTION_ERROR:
    'No verdict by the fault of the agent or the task: the agent crashed, a prediction does not apply (`patch_apply_failed`), the tests timed out twice (`tests_timed_out`), or a limit was reached and the suite says `onLimit: error` (`limit_reached`). Never tried again.',
  INFRA_FAILED: 'No verdict by our fault, after every try that the retry policy allows.',
  CANCELLED: 'Cancelled before it ended. Whatever ran for it was killed.',
};

/** What each state of a publication means. */
export const PUBLICATION_STATES: Readonly<Record<PublicationState, string>> = {
  NONE: 'Nothing will ever be written: the run has no release, or its suite publishes nothing.',
  PENDING:
    'To be written once the run is over. What fails is tried again for ever, with growing waits; `last_error` says why.',
  WRITTEN: 'The block and its files stand on the release; they are read again one lease later.',
  PUBLISHED: 'Read again and found whole.',
  SUPERSEDED: 'A newer run of the same release and suite took its place.',
  REFUSED:
    'It may not be written there: the policy says no, or the release is gone or not the one of the run. The reason is shown.',
  DRY_RUN: 'The policy wants to see it only: the exact difference is kept, and nothing was written.',
};

/** What makes each event of a publication, by its name. */
export const PUBLICATION_EVENT_CAUSES: Readonly<Record<string, string>> = {
  written: 'the publisher wrote the block and read it back',
  verified: 'the publisher read it again one lease later',
  failed: 'GitHub, the network or the publisher failed; also a block that cannot be read back is written again',
  refused: 'the publisher read the release, and the policy said no; or the release is gone or another one',
  shown: 'the publisher read the release, and the policy wants a dry run',
  superseded: 'a newer run of the same release and suite ended, or was published',
  reinstated: 'the newer run was refused, or shown only: this one is the newest again',
};

/** What each state of a link of a chain means. */
export const CHAIN_STATES: Readonly<Record<ChainState, string>> = {
  PENDING: 'It waits for the run before it and for what that owes the release.',
  STARTED:
    'Its run was submitted, in the transaction that settled the run before it. What becomes of that run is its own matter.',
  SKIPPED:
    'Its run will not be, nor that of any link behind it; `reason` says why. After `superseded` it may be reopened.',
};

/** What makes each event of a link of a chain, by its name. */
export const CHAIN_EVENT_CAUSES: Readonly<Record<ChainEvent, string>> = {
  started: 'the run before it is settled (the table below)',
  skipped: 'the run before it, or what it owes the release, came to an end that nothing can follow (the table below)',
  reopened: 'the run before it had given way to a newer run, which wrote nothing in the end: it is the newest again',
};

/** Why a link is SKIPPED. */
export const CHAIN_SKIPS: Readonly<Record<ChainSkip, string>> = {
  cancelled: 'the run before it was cancelled while it waited',
  superseded:
    'a newer run of the release and suite took the place of the run before it; that one has a chain of its own',
  refused: 'the run before it may not be published: the policy says no, or the release is gone or another one',
  not_measurable: 'the run before it FAILED by what makes every suite of the release fail: its package, ref or tag',
  key_taken: "its idempotency key belongs to somebody else's run already",
};

/** What makes each event of a run, by its name. */
export const RUN_EVENT_CAUSES: Readonly<Record<string, string>> = {
  frozen: 'the dispatcher found tag and package, and wrote manifest, instances and message in one transaction',
  started: 'the first claim of any of its work',
  'gated SUCCEEDED': 'its last instance became terminal, and the gate passed it',
  'gated QUARANTINED': 'its last instance became terminal (perhaps by cancelling), and the gate did not pass it',
  failed: 'nothing can ever be measured',
  cancelled: 'somebody asked for it',
};

/** What makes each event of an instance, by its name. */
export const INSTANCE_EVENT_CAUSES: Readonly<Record<string, string>> = {
  'heartbeat PREPARING': 'an accepted heartbeat of its executor',
  'heartbeat RUNNING_AGENT': 'the same; phases too short for a heartbeat are skipped',
  'heartbeat UPLOADING': 'the same',
  'heartbeat GRADING': 'an accepted heartbeat of its grader',
  'trial recorded': "the trial's result was accepted and there is something to grade",
  checked: 'an infrastructure check held: the sandbox was there; nothing is graded',
  'prediction taken': 'the run grades predictions that were handed in: it has no trials',
  retry: 'our fault (infra or contract blame, lost lease), with tries left; a grade whose tests timed out once',
  'trial due': 'the wait for the next trial is over',
  'grade due': 'the wait for the next grade is over',
  'trial released': 'the executor shuts down and gives the trial back; the attempt does not count',
  'grade released': 'the grader shuts down and gives the grade back',
  'ended RESOLVED': "the grade's verdict",
  'ended UNRESOLVED': "the grade's verdict",
  'ended EXECUTION_ERROR': "the agent's or the task's fault, at once",
  'ended INFRA_FAILED': 'our fault, and no tries left',
  'ended CANCELLED': 'the run was cancelled',
};
