import {
  assertNever,
  Notification,
  NotificationEvent,
  RunFailure,
  RunResult,
  SubmitRequest,
  type TargetName,
} from '@assay/contracts';
import { publicCause } from '@assay/scoring';

/** A notice with its run. */
export interface NoticeRow {
  readonly event_id: string;
  readonly event: string;
  readonly at: Date;
  readonly expired: boolean;
  readonly run_id: string;
  readonly state: string;
  readonly publication_state: string;
  readonly suite: string;
  readonly request: unknown;
  readonly evaluated_commit: string | null;
  readonly result: unknown;
  readonly failure: unknown;
  readonly last_error: string | null;
  readonly publication_reason: string | null;
}

/** What a target is told of an event. Whatever others said in errors is cut as for the public: no key, no path. */
export function notificationBody(row: NoticeRow, target: TargetName): Notification {
  const event = NotificationEvent.parse(row.event);
  const request = SubmitRequest.parse(row.request);
  const { release, evaluated, model } = request;
  const result = row.result === null ? null : RunResult.parse(row.result);
  const measured = result === null || result.status === 'FAILED' ? null : result;
  return Notification.parse({
    schemaVersion: 'assay.notification/1',
    id: `${row.run_id}.${row.event_id}.${event}.${target}`.slice(-200),
    event,
    at: row.at.toISOString(),
    message: messageOf(event, row),
    run: {
      id: row.run_id,
      state: row.state,
      publicationState: row.publication_state,
      suite: row.suite,
      model,
      evaluatedRef: evaluated.ref,
      commit: row.evaluated_commit ?? evaluated.commit ?? null,
      release: release === undefined ? null : { repository: release.repository, tag: release.tag },
      scorePercent: measured?.score?.percent ?? null,
      reasons: measured?.reasons.map(({ code, message }) => ({ code, message })) ?? failureOf(row),
    },
  });
}

function messageOf(event: NotificationEvent, row: NoticeRow): string {
  const run = `The run ${row.run_id} of ${row.suite}`;
  switch (event) {
    case 'run.ended':
      return `${run} has ended: ${row.state}.`;
    case 'run.quarantined':
      return `${run} is quarantined: it has no score.`;
    case 'run.stalled':
      return `${run} stands still: no worker of its build was there for too long.`;
    case 'package.late':
      return `${run} still waits for its package: ${publicCause(row.last_error ?? 'the registry does not have it')}`;
    case 'publication.refused':
      return `The result of the run ${row.run_id} of ${row.suite} is not published: ${publicCause(row.publication_reason ?? '')}`;
    default:
      return assertNever(event);
  }
}

function failureOf({ failure }: NoticeRow): Notification['run']['reasons'] {
  if (failure === null) return [];
  const { code, message } = RunFailure.parse(failure);
  return [{ code, message: publicCause(message) }];
}
