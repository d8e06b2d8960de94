/** One thing that the sweep looks after. Steps run in a fixed order, in one coordinator at a time. */
export interface SweepStep {
  /** Rejects only when the database is away or broken: the steps after it are left out then. */
  sweep(): Promise<void>;
}
