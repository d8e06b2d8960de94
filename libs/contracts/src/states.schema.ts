import { z } from 'zod';

/** A run's life. WAITING: its package or tag is not there yet. The last four are terminal. */
export const RunState = z.enum(['WAITING', 'QUEUED', 'RUNNING', 'SUCCEEDED', 'QUARANTINED', 'FAILED', 'CANCELLED']);
export type RunState = z.infer<typeof RunState>;

/** An instance's life. The last five are terminal. */
export const InstanceState = z.enum([
  'QUEUED',
  'PREPARING',
  'RUNNING_AGENT',
  'UPLOADING',
  'GRADING',
  'RETRY_WAIT',
  'RESOLVED',
  'UNRESOLVED',
  'EXECUTION_ERROR',
  'INFRA_FAILED',
  'CANCELLED',
]);
export type InstanceState = z.infer<typeof InstanceState>;

export const TERMINAL_INSTANCE_STATES = [
  'RESOLVED',
  'UNRESOLVED',
  'EXECUTION_ERROR',
  'INFRA_FAILED',
  'CANCELLED',
] as const;
export type TerminalInstanceState = (typeof TERMINAL_INSTANCE_STATES)[number];

export const TERMINAL_RUN_STATES = ['SUCCEEDED', 'QUARANTINED', 'FAILED', 'CANCELLED'] as const;
export type TerminalRunState = (typeof TERMINAL_RUN_STATES)[number];

/**
 * NONE: nothing will ever be written. PENDING: due. WRITTEN: written, to be read again one lease later. PUBLISHED: read
 * again and found whole. SUPERSEDED: a newer run of the same release and suite took its place. REFUSED: it may not be written
 * where it was to go. DRY_RUN: what would be written was shown instead.
 */
export const PublicationState = z.enum(['NONE', 'PENDING', 'WRITTEN', 'PUBLISHED', 'SUPERSEDED', 'REFUSED', 'DRY_RUN']);
export type PublicationState = z.infer<typeof PublicationState>;

export const AttemptState = z.enum(['GRANTED', 'STARTED', 'COMPLETED', 'FAILED', 'LOST', 'RELEASED', 'CANCELLED']);
export type AttemptState = z.infer<typeof AttemptState>;
