import { assertNever, type ResultMessage, type ResultReply } from '@assay/contracts';
import { ATTRIBUTES, inSpan } from '@assay/telemetry';
import type { Sql } from '../database';
import { disbelieved, noteBadArtifacts, type BadArtifact } from './bad-artifact';
import type { FinishedRun } from './finish-run';
import { lockWork, type LockedWork, type StoredTry } from './lock-work';
import { noteEvent } from './note-event';
import { recordGrade } from './record-grade';
import { recordPublication } from './record-publication';
import { recordTrial } from './record-trial';
import type { WorkProtocol } from './work-protocol';
import { workAttributes } from './work-rows';

/** What came of a result. `next` says in a word what follows: grade, retry, verify, or the terminal state. */
export interface RecordedResult {
  readonly reply: ResultReply;
  readonly next: string | null;
  readonly finished: FinishedRun | null;
}

/**
 * Records a result in the caller's transaction, if its fence (epoch, claimId) still holds: outcome, artifacts, the next
 * state and the messages that follow. A repeat is `already_recorded`; a stale fence is an event and changes nothing.
 * The lease may have run out meanwhile: until the next grant or a terminal state the try's own result is taken.
 * @param bad artifacts of the message that are not in the store as it says. Such a result is refused: the try FAILED by
 *   our fault, with an event that names them
 */
export async function recordResult(
  sql: Sql,
  sent: ResultMessage,
  protocol: WorkProtocol,
  bad: readonly BadArtifact[] = [],
): Promise<RecordedResult> {
  const message = bad.length === 0 ? sent : disbelieved(sent, bad);
  const found = await lockWork(sql, message.key, message, mayEndInstance(message) ? 'with run' : 'without run');
  if (found === null || found.tried === null) return refused('there was no such grant');
  const { locked, tried } = found;
  if (tried.recorded) return { reply: { answer: 'already_recorded' }, next: null, finished: null };
  if (!holds(locked, message)) {
    const { epoch, worker } = message;
    await noteEvent(sql, message.key, 'result.refused', { epoch, worker, current: locked.epoch, open: locked.open });
    return refused(locked.open ? `epoch ${epoch} is over, ${locked.epoch} is current` : 'the work is done');
  }
  const reply: ResultReply =
    bad.length === 0 ? { answer: 'recorded' } : refused(await noteBadArtifacts(sql, message, bad)).reply;
  const span = {
    parent: tried.traceparent ?? locked.rootTraceparent,
    attributes: { ...workAttributes(message.key), [ATTRIBUTES.epoch]: message.epoch },
  };
  const { next, finished } = await inSpan(`record ${message.kind}`, span, () =>
    record(sql, message, { locked, tried }, protocol),
  );
  return { reply, next, finished };
}

/** Work, its try and the manifest's rules: what the recorders share. */
export interface RecordContext {
  readonly locked: LockedWork;
  readonly tried: StoredTry;
}

export type Followed = Pick<RecordedResult, 'next' | 'finished'>;

function record(sql: Sql, message: ResultMessage, context: RecordContext, protocol: WorkProtocol): Promise<Followed> {
  switch (message.kind) {
    case 'trial':
      return recordTrial(sql, message, context, protocol);
    case 'grade':
      return recordGrade(sql, message, context, protocol);
    case 'publication':
      return recordPublication(sql, message, context, protocol);
    default:
      return assertNever(message);
  }
}

/** A trial that left a patch and reached no limit is graded, whatever the policy: the run is not touched. */
function mayEndInstance({ outcome }: ResultMessage): boolean {
  return !(outcome.kind === 'completed' && outcome.patch !== null && outcome.limit === null);
}

function holds({ open, epoch, claimId }: LockedWork, message: ResultMessage): boolean {
  return open && epoch === message.epoch && claimId === message.claimId;
}

function refused(reason: string): RecordedResult {
  return { reply: { answer: 'refused', reason }, next: null, finished: null };
}
