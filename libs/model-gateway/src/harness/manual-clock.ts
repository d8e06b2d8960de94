import { eventually } from '@assay/testing';
import type { GatewayClock } from '../clock/gateway-clock';

/** Time that passes when a test says so. */
export class ManualClock implements GatewayClock {
  private time = Date.parse('2026-11-29T00:00:00Z');
  private readonly timers = new Set<{ readonly at: number; readonly work: () => void }>();

  now(): number {
    return this.time;
  }

  after(ms: number, work: () => void): () => void {
    const timer = { at: this.time + ms, work };
    this.timers.add(timer);
    return () => {
      this.timers.delete(timer);
    };
  }

  /** What is awaited, milliseconds from now, the next first. */
  waits(): number[] {
    return [...this.timers].map(({ at }) => at - this.time).sort((a, b) => a - b);
  }

  advance(ms: number): void {
    const end = this.time + ms;
    for (;;) {
      const due = [...this.timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.timers.delete(due);
      this.time = due.at;
      due.work();
    }
    this.time = end;
  }

  /** Waits until somebody waits for a time in the range, then lets it pass. Answers how long it was. */
  async passWait(fromMs: number, toMs: number): Promise<number> {
    const fitting = (): number | undefined => this.waits().find((ms) => ms >= fromMs && ms <= toMs);
    await eventually(() => fitting() !== undefined, { what: `a wait of ${fromMs} to ${toMs} ms` });
    const ms = fitting() ?? 0;
    this.advance(ms);
    return ms;
  }
}
