export { Database, type DatabaseOptions, type Sql } from './database';
export { DatabaseUnavailable } from './database-unavailable';
export { type Listener, type ListenOptions } from './listener';
export { exclusively } from './exclusively';
export { insertOutbox, type OutboxMessage } from './outbox/insert-outbox';
export { markFailed } from './outbox/mark-failed';
export { markSent } from './outbox/mark-sent';
export { takeUnsent, type UnsentMessage } from './outbox/take-unsent';
export { pendingMigrations } from './pending-migrations';
export { claimWaitingRun } from './runs/claim-waiting-run';
export { failWaiting } from './runs/fail-waiting';
export { freezeRun, type Freezing } from './runs/freeze-run';
export { getRun } from './runs/get-run';
export { insertSubmission, type Submission, type SubmissionOutcome } from './runs/insert-submission';
export { type TryRow } from './runs/instance-history';
export { type InstanceRow, listInstances } from './runs/list-instances';
export { listRuns, type RunPage, type RunQuery } from './runs/list-runs';
export { type Reschedule, rescheduleWaiting } from './runs/reschedule-waiting';
export { InvalidCursor } from './runs/run-cursor';
export { type RunRow } from './runs/run-row';
export { runStateCounts, type StateCounts } from './runs/run-state-counts';
export { instanceView, runView, type ViewClock } from './runs/views';
export { announceWorker } from './work/announce-worker';
export { cancelRun, type CancelledRun } from './work/cancel-run';
export { claim, type ClaimOptions, type ClaimOutcome } from './work/claim';
export {
  dueWork,
  forgetPublished,
  notePublished,
  noteSent,
  windowOf,
  type DueWork,
  type WindowOf,
} from './work/due-work';
export { enqueueRun } from './work/enqueue-run';
export { expireLease, lapsedLeases, type LapsedLease } from './work/expire-lease';
export { finishRunIfDone, type FinishedRun } from './work/finish-run';
export { FrozenManifests } from './work/frozen-manifests';
export { heartbeat, type HeartbeatOutcome } from './work/heartbeat';
export { liveLeases, type LiveLease } from './work/live-leases';
export { recordResult, type Followed, type RecordedResult } from './work/record-result';
export { release } from './work/release';
export { noteStreams } from './work/stream-fingerprints';
export { undecidedRuns, unopenedRuns } from './work/unfinished-runs';
export type { WorkProtocol } from './work/work-protocol';
