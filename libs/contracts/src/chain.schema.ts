import { z } from 'zod';
import { RunId } from './ids';

/**
 * PENDING: what it follows is not settled yet. STARTED: its run was submitted. SKIPPED: it never will be, and `reason` says
 * why.
 */
export const ChainState = z.enum(['PENDING', 'STARTED', 'SKIPPED']);
export type ChainState = z.infer<typeof ChainState>;

/** Why a link of a chain is SKIPPED. */
export const ChainSkip = z.enum(['cancelled', 'superseded', 'refused', 'not_measurable', 'key_taken']);
export type ChainSkip = z.infer<typeof ChainSkip>;

/** A suite that is run for the same release once what stands before it in the chain was published. */
export const ChainLink = z.strictObject({
  suite: z.string(),
  /** Its first so many instances; null: as its suite says. */
  limit: z.int().positive().nullable(),
  instanceId: z.string().nullable(),
  state: ChainState,
  /** Why it is SKIPPED; null otherwise. */
  reason: z.string().nullable(),
  /** Its run; null until it is STARTED. */
  runId: RunId.nullable(),
  /** When it was started or skipped. */
  at: z.iso.datetime().nullable(),
});
export type ChainLink = z.infer<typeof ChainLink>;
