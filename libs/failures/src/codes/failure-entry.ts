import type { Blame } from '@assay/contracts';

/** What is known of a failure code wherever it occurs. Sentences are Markdown of one line. */
export interface FailureEntry {
  /** Whose fault it can be; more than one where the place of the failure decides. */
  readonly blame: readonly [Blame, ...Blame[]];
  /** What happened. */
  readonly meaning: string;
  /** What whoever runs Assay does about it. */
  readonly operator: string;
}

export type FailureEntries = Readonly<Record<string, FailureEntry>>;
