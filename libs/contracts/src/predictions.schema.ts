import { z } from 'zod';
import { Digest, InstanceId } from './ids';

/**
 * One line of the body of `POST /v1/predictions` (JSON lines), in the field's words: the patch that somebody's agent made
 * for an instance. Null or empty: it made none.
 */
export const PredictionLine = z.strictObject({
  instance_id: InstanceId,
  model_name_or_path: z.string().min(1).max(300),
  model_patch: z.string().nullable(),
  /** The text of the agent's own trajectory file, kept as it is. */
  trajectory: z.string().optional(),
});
export type PredictionLine = z.infer<typeof PredictionLine>;

/** Answer of `POST /v1/predictions` (201): the set's name for `predictions` of a submission. */
export const PredictionSetReply = z.strictObject({
  digest: Digest,
  size: z.int().nonnegative(),
  predictions: z.int().positive(),
});
export type PredictionSetReply = z.infer<typeof PredictionSetReply>;

/** Answer of `GET /v1/suites/:name/instances`. */
export const SuiteInstances = z.strictObject({
  suite: z.string(),
  title: z.string(),
  source: z.enum(['harbor', 'swebench']),
  instances: z.array(InstanceId),
});
export type SuiteInstances = z.infer<typeof SuiteInstances>;
