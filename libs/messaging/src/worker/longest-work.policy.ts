import { assertNever, type WorkKind } from '@assay/contracts';
import type { SpecOf } from './work-types';

/** Beside the agent's or the tests' own time: images to build, workspaces to read, artifacts to store. */
const AROUND_MS = 3_600_000;
const PUBLICATION_MS = 1_800_000;

/** How long a piece of work may take in all, in milliseconds. A backstop against work that hangs: generous. */
export function longestWorkMs(spec: SpecOf<WorkKind>): number {
  switch (spec.kind) {
    case 'trial':
      return spec.limits.wallSeconds * 1000 + AROUND_MS;
    case 'grade':
      return spec.grader.timeoutSeconds * 1000 + AROUND_MS;
    case 'publication':
      return PUBLICATION_MS;
    default:
      return assertNever(spec);
  }
}
