import { pause } from './pause';

/** What is under way, so that a graceful end can wait for it. */
export class Running {
  private readonly all = new Set<Promise<unknown>>();

  get size(): number {
    return this.all.size;
  }

  /** @param work must never reject: nobody awaits it */
  add(work: Promise<void>): void {
    this.all.add(work);
    void work.finally(() => this.all.delete(work));
  }

  /** Waits until nothing runs, at most `timeoutMs`. Answers how much still does. */
  async settled(timeoutMs: number): Promise<number> {
    const over = new AbortController();
    const limit = pause(timeoutMs, over.signal);
    await Promise.race([this.drained(), limit]);
    over.abort();
    return this.all.size;
  }

  private async drained(): Promise<void> {
    while (this.all.size > 0) await Promise.all(this.all);
  }
}
