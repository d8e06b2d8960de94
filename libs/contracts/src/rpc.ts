import { z } from 'zod';
import { CancelReply } from './http.schema';
import { RunId } from './ids';
import { ImagesNeededReply, ImagesNeededRequest } from './images.message';
import * as notes from './notification.message';
import { RPC } from './subjects';
import * as work from './work.message';

export const CancelRunRequest = z.strictObject({ runId: RunId });
export type CancelRunRequest = z.infer<typeof CancelRunRequest>;

/** Answer of `run.cancel`; `unknown` where there is no such run. */
export const CancelRunReply = z.discriminatedUnion('answer', [
  z.strictObject({ answer: z.literal('ok'), ...CancelReply.shape }),
  z.strictObject({ answer: z.literal('unknown') }),
]);
export type CancelRunReply = z.infer<typeof CancelRunReply>;

/** Request and reply schema of every request-reply subject. */
export const RPC_SCHEMAS = {
  [RPC.claim]: { request: work.ClaimRequest, reply: work.ClaimReply },
  [RPC.heartbeat]: { request: work.HeartbeatRequest, reply: work.HeartbeatReply },
  [RPC.release]: { request: work.ReleaseRequest, reply: work.ReleaseReply },
  [RPC.announce]: { request: work.AnnounceRequest, reply: work.AnnounceReply },
  [RPC.leasesLive]: { request: work.LeasesLiveRequest, reply: work.LeasesLiveReply },
  [RPC.imagesNeeded]: { request: ImagesNeededRequest, reply: ImagesNeededReply },
  [RPC.cancelRun]: { request: CancelRunRequest, reply: CancelRunReply },
  [RPC.notificationsNext]: { request: notes.NotificationsNextRequest, reply: notes.NotificationsNextReply },
  [RPC.notificationsSettle]: { request: notes.NotificationsSettleRequest, reply: notes.NotificationsSettleReply },
} as const;
