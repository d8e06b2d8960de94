import { setTimeout as wait } from 'node:timers/promises';

/** Keeps writes apart: GitHub wants at least a second between two (rate limits for the REST API, best practices). */
export class WritePace {
  private next = 0;

  /** @param gapMs milliseconds between the starts of two writes */
  constructor(
    private readonly gapMs: number,
    private readonly now: () => number = Date.now,
  ) {}

  /** Resolves when the next write may start. @throws the signal's reason when it is aborted meanwhile */
  async turn(signal?: AbortSignal): Promise<void> {
    const ms = this.next - this.now();
    if (ms <= 0) return;
    await wait(ms, undefined, signal === undefined ? {} : { signal }).catch(() => {
      signal?.throwIfAborted();
    });
  }

  /** A write starts now. */
  started(): void {
    this.next = this.now() + this.gapMs;
  }
}
