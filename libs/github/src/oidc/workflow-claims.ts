import { Repository } from '@assay/contracts';
import { z } from 'zod';

/** Digits, as text: GitHub's ids may grow beyond what a number holds. */
const Id = z.string().regex(/^\d{1,20}$/, 'expected digits');
const Text = z.string().min(1).max(1024);

/**
 * What a token of GitHub Actions says, as far as it is read here ("About security hardening with OpenID Connect",
 * docs.github.com). `sub` is not among it: its form changed over time, and its owner can choose it.
 */
export const WorkflowClaims = z.object({
  jti: z.string().min(1).max(200),
  /** Seconds since 1970, as `exp`. */
  iat: z.number(),
  exp: z.number(),
  repository: Repository,
  repository_id: Id,
  repository_owner_id: Id,
  /** e.g. `release`, `workflow_dispatch`, `pull_request` */
  event_name: Text,
  ref: Text,
  sha: z.string().regex(/^[0-9a-f]{40}$/, 'expected 40 hexadecimal digits'),
  run_id: Id,
  run_attempt: Id,
  /** `owner/name/path@ref` of the workflow that was started. */
  workflow_ref: Text,
  /** The same of the workflow that the job is written in: another one where it is called as a reusable workflow. */
  job_workflow_ref: Text,
  actor: Text,
});
export type WorkflowClaims = z.infer<typeof WorkflowClaims>;
