/**
 * Notices that this process did not run for a while: stopped, swapped out, or a loop that something blocked. Timers all
 * fire late together then, so whoever is about to speak asks here first.
 */
export class StallWatch {
  private lastSeen = performance.now();
  private stalls = 0;
  private readonly timer: NodeJS.Timeout;

  /** @param limitMs a gap longer than this is a stall */
  constructor(private readonly limitMs: number) {
    this.timer = setInterval(() => this.generation(), Math.max(5, limitMs / 4));
    this.timer.unref();
  }

  /** How many stalls there were: a number that differs from an earlier one means that there was one between. */
  generation(): number {
    const now = performance.now();
    if (now - this.lastSeen > this.limitMs) this.stalls += 1;
    this.lastSeen = now;
    return this.stalls;
  }

  close(): void {
    clearInterval(this.timer);
  }
}
