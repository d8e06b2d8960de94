/**
 * Work that many may ask for and that is done once. Each asker may leave (its signal); when all have left, the work itself
 * is aborted.
 */
export class SharedWork<T> {
  private readonly underWay = new Map<string, { result: Promise<T>; abort: AbortController; askers: number }>();

  get isBusy(): boolean {
    return this.underWay.size > 0;
  }

  /** Whether the work of this name is under way. */
  has(name: string): boolean {
    return this.underWay.has(name);
  }

  async ask(name: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const job = this.underWay.get(name) ?? this.start(name, work);
    job.askers += 1;
    let leave: () => void = () => undefined;
    const left = new Promise<never>((_, reject) => {
      leave = () => {
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', leave, { once: true });
    });
    try {
      return await Promise.race([job.result, left]);
    } finally {
      signal.removeEventListener('abort', leave);
      job.askers -= 1;
      if (job.askers === 0) {
        this.forget(name, job.result);
        job.abort.abort();
      }
    }
  }

  private start(name: string, work: (signal: AbortSignal) => Promise<T>) {
    const abort = new AbortController();
    const result = work(abort.signal);
    const job = { result, abort, askers: 0 };
    this.underWay.set(name, job);
    result.then(
      () => {
        this.forget(name, result);
      },
      () => {
        this.forget(name, result);
      },
    );
    return job;
  }

  private forget(name: string, result: Promise<T>): void {
    if (this.underWay.get(name)?.result === result) this.underWay.delete(name);
  }
}
