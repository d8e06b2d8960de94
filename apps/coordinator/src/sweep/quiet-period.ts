/**
 * While it lasts no lease is expired and no lapsed lease is claimed: for a full lease after any time in which heartbeats
 * could not be recorded (our start, a database error, a lost connection to NATS, a stall of our own), because workers
 * that lived through it look silent.
 */
export class QuietPeriod {
  private until: number;

  /** @param now a clock that also runs while this process is stopped; milliseconds */
  constructor(
    private readonly leaseMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.until = this.now() + leaseMs;
  }

  /** Heartbeats could not be recorded until now. */
  extend(): void {
    this.until = this.now() + this.leaseMs;
  }

  get isOver(): boolean {
    return this.now() >= this.until;
  }
}
