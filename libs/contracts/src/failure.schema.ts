import { z } from 'zod';

/**
 * Whose fault a failure is. `infra` is ours and tried again; `agent` is terminal at once; `task` is a broken task or an
 * input that cannot be judged, terminal at once; `contract` is a broken message between our own parts: ours, tried again.
 */
export const Blame = z.enum(['infra', 'agent', 'task', 'contract']);
export type Blame = z.infer<typeof Blame>;

/** Where in an instance's life a failure happened. */
export const Phase = z.enum(['dispatch', 'prepare', 'agent', 'extract', 'upload', 'grade', 'publish', 'lease']);
export type Phase = z.infer<typeof Phase>;

/** A failure as it travels and is stored: never an exception, always with blame and a stable code. */
export const Failure = z.strictObject({
  blame: Blame,
  /** Stable snake_case name, e.g. `image_build_failed`, `lease_lost`, `tests_timed_out`. */
  code: z.string().regex(/^[a-z][a-z0-9_]{0,63}$/),
  /** One sentence for a person. */
  message: z.string().max(4000),
  phase: Phase,
  /** Evidence: exit codes, paths, ids. No secrets. */
  details: z.record(z.string(), z.unknown()).default({}),
});
export type Failure = z.infer<typeof Failure>;
