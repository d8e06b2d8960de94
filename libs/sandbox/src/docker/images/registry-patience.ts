import { setTimeout as delay } from 'node:timers/promises';

/** Registries say no more than "too many": Docker Hub counts over hours, others over seconds. Milliseconds. */
const FIRST_MS = 15_000;
const LONGEST_MS = 900_000;

/**
 * How long a registry that said "too many requests" is left alone, by everybody here at the same time. Each refusal
 * doubles it; a success ends it.
 */
export class RegistryPatience {
  private readonly refusals = new Map<string, { times: number; until: number }>();

  constructor(
    private readonly firstMs = FIRST_MS,
    private readonly now: () => number = Date.now,
  ) {}

  /** Waits until the registry may be asked. Rejects with the signal's reason when that is raised first. */
  async wait(registry: string, signal: AbortSignal): Promise<void> {
    for (let left = this.left(registry); left > 0; left = this.left(registry)) {
      await delay(left, undefined, { signal }).catch((error: unknown) => {
        signal.throwIfAborted();
        throw error;
      });
    }
  }

  refused(registry: string): void {
    const before = this.refusals.get(registry);
    // Several that were under way are told the same thing.
    if (before !== undefined && before.until > this.now()) return;
    const times = (before?.times ?? 0) + 1;
    const ms = Math.min(LONGEST_MS, this.firstMs * 2 ** (times - 1));
    this.refusals.set(registry, { times, until: this.now() + ms });
  }

  answered(registry: string): void {
    this.refusals.delete(registry);
  }

  /** Milliseconds. */
  left(registry: string): number {
    return Math.max(0, (this.refusals.get(registry)?.until ?? 0) - this.now());
  }
}
