/**
 * While it lasts no lease is expired and no lapsed lease is claimed: for a full lease after any time in which heartbeats
 * could not be recorded (our start, a database error, a lost connection to NATS, a stall of our own), because workers
 * that lived through it look silent.
 */
export class QuietPeriod {
  private until: number;
  private noticed: number;

  /** @param now a clock that also runs while this process is stopped; milliseconds */
  constructor(
    private readonly leaseMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.noticed = this.now();
    this.until = this.noticed + leaseMs;
  }

  /** Heartbeats could not be recorded until now. */
  extend(): void {
    this.noticed = this.now();
    this.until = this.noticed + this.leaseMs;
  }

  /**
   * To be called several times in a lease. Half a lease without a call means that this process did not run, and so
   * recorded no heartbeats.
   */
  notice(): void {
    const now = this.now();
    if (now - this.noticed > this.leaseMs / 2) this.extend();
    this.noticed = now;
  }

  /** Asked after a stall it is not over, whoever asks first. */
  get isOver(): boolean {
    this.notice();
    return this.now() >= this.until;
  }
}
