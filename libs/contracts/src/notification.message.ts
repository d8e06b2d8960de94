import { z } from 'zod';
import { ClaimId, RunId, WorkerId } from './ids';
import { PublicationState, RunState } from './states.schema';

/**
 * What is told to others. run.ended: the run is terminal, whatever its state. run.quarantined: besides, it has no score.
 * run.stalled: no worker of its build was there for too long. package.late: it waits for its package longer than usual.
 * publication.refused: its result may not be written to its release.
 */
export const NotificationEvent = z.enum([
  'run.ended',
  'run.quarantined',
  'run.stalled',
  'package.late',
  'publication.refused',
]);
export type NotificationEvent = z.infer<typeof NotificationEvent>;

/** A target's name in the file of targets. */
export const TargetName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,49}$/, 'expected 1 to 50 of a-z 0-9 -, the first a letter or digit');
export type TargetName = z.infer<typeof TargetName>;

/** PENDING: to be sent, or to be tried again. SENT: its target took it. FAILED: it did not, and is not asked again. */
export const NotificationState = z.enum(['PENDING', 'SENT', 'FAILED']);
export type NotificationState = z.infer<typeof NotificationState>;

/** What a target is told: the body of a webhook without a template, and what templates are filled with. */
export const Notification = z.strictObject({
  schemaVersion: z.literal('assay.notification/1'),
  /** The same at every repeat; another one for every target. Header `webhook-id`. */
  id: z.string().max(200),
  event: NotificationEvent,
  /** When it happened. */
  at: z.iso.datetime(),
  /** One sentence for a person. */
  message: z.string(),
  /** The run as it was when this was made out, soon after the event. */
  run: z.strictObject({
    id: RunId,
    state: RunState,
    publicationState: PublicationState,
    suite: z.string(),
    model: z.string(),
    evaluatedRef: z.string(),
    commit: z.string().nullable(),
    /** Null: it has no release. */
    release: z.strictObject({ repository: z.string(), tag: z.string() }).nullable(),
    /** As published, with two decimals; null: there is none. */
    scorePercent: z.number().nullable(),
    /** Why it has no score. */
    reasons: z.array(z.strictObject({ code: z.string(), message: z.string() })),
  }),
});
export type Notification = z.infer<typeof Notification>;

/** A target, as far as the coordinator knows it: where it is and what signs for it stays with the publisher. */
export const NotificationTarget = z.strictObject({ name: TargetName, events: z.array(NotificationEvent) });
export type NotificationTarget = z.infer<typeof NotificationTarget>;

/** A publisher asks for what is to be told to its targets. */
export const NotificationsNextRequest = z.strictObject({
  worker: WorkerId,
  claimId: ClaimId,
  targets: z.array(NotificationTarget),
});
export type NotificationsNextRequest = z.infer<typeof NotificationsNextRequest>;

/** Each is this publisher's until `leaseMs` are over; then it is given out again, with the same id. */
export const NotificationsNextReply = z.strictObject({
  leaseMs: z.number().positive(),
  due: z.array(
    z.strictObject({
      target: TargetName,
      /** 1 for the first. From 2 on the target may have it already. */
      tryNumber: z.int().positive(),
      notification: Notification,
    }),
  ),
});
export type NotificationsNextReply = z.infer<typeof NotificationsNextReply>;

/** What came of one try. */
export const NotificationOutcome = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('sent') }),
  z.strictObject({
    kind: z.literal('failed'),
    reason: z.string().max(1_000),
    /** It is not tried again. */
    final: z.boolean(),
    /** What the target asked for; null: nothing. */
    retryAfterMs: z.number().nonnegative().nullable(),
  }),
]);
export type NotificationOutcome = z.infer<typeof NotificationOutcome>;

export const NotificationsSettleRequest = z.strictObject({
  claimId: ClaimId,
  id: z.string(),
  outcome: NotificationOutcome,
});
export type NotificationsSettleRequest = z.infer<typeof NotificationsSettleRequest>;

/** `lost`: it is another publisher's by now, or was settled before. */
export const NotificationsSettleReply = z.discriminatedUnion('answer', [
  z.strictObject({ answer: z.literal('recorded'), state: NotificationState }),
  z.strictObject({ answer: z.literal('lost') }),
]);
export type NotificationsSettleReply = z.infer<typeof NotificationsSettleReply>;

/** A notification as the API shows it. */
export const NotificationView = z.strictObject({
  event: NotificationEvent,
  target: TargetName,
  state: NotificationState,
  tries: z.int().nonnegative(),
  lastError: z.string().nullable(),
  at: z.iso.datetime(),
  settledAt: z.iso.datetime().nullable(),
});
export type NotificationView = z.infer<typeof NotificationView>;
