interface Waiting {
  readonly admit: () => void;
}

/** So many at the same time, the others in the order in which they came. */
export class Turns {
  private taken = 0;
  private readonly waiting = new Set<Waiting>();

  constructor(private readonly atOnce: number) {}

  /** How many wait. */
  get queue(): number {
    return this.waiting.size;
  }

  /** Runs the work when it is its turn, or never, if the signal is aborted before. */
  async take(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    if (!(await this.turn(signal))) return;
    try {
      await work();
    } finally {
      this.passOn();
    }
  }

  private turn(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    if (this.taken < this.atOnce) {
      this.taken += 1;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const leave = (): void => {
        this.waiting.delete(waiting);
        resolve(false);
      };
      const waiting = {
        admit: () => {
          signal.removeEventListener('abort', leave);
          this.waiting.delete(waiting);
          resolve(true);
        },
      };
      this.waiting.add(waiting);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  private passOn(): void {
    const [next] = this.waiting;
    if (next === undefined) this.taken -= 1;
    else next.admit();
  }
}
