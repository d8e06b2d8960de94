import { z } from 'zod';
import { RunOrigin } from './edge.schema';
import { SubmitRequest } from './http.schema';
import { Digest, RunId } from './ids';
import { NotificationView } from './notification.message';
import { PublicationState } from './states.schema';

/** Answer of `GET /v1/runs/:id/record`: what a run was asked for, and all that became of it. Not for the public. */
export const RunRecord = z.strictObject({
  schemaVersion: z.literal('assay.run-record/1'),
  runId: RunId,
  /** What the run measures, as it was stored when it was handed in. */
  request: SubmitRequest,
  /** The release request as it was received, and what the policy made of it. Null: handed in without a release. */
  origin: RunOrigin.nullable(),
  /** Of the manifest's artifact. Null until the run is frozen. */
  manifestDigest: Digest.nullable(),
  /** Null: there is nothing to be written to a release. */
  publication: z
    .strictObject({
      state: PublicationState,
      tries: z.int().nonnegative(),
      /** The real cause of the last failed try; null after one that went well. */
      lastError: z.string().nullable(),
      writtenAt: z.iso.datetime().nullable(),
      publishedAt: z.iso.datetime().nullable(),
    })
    .nullable(),
  /** What was told to others of it, or is to be. Oldest first. */
  notifications: z.array(NotificationView),
  /** Oldest first. */
  events: z.array(
    z.strictObject({
      at: z.iso.datetime(),
      type: z.string(),
      instanceId: z.string().nullable(),
      sample: z.int().nullable(),
      data: z.record(z.string(), z.unknown()),
    }),
  ),
});
export type RunRecord = z.infer<typeof RunRecord>;
