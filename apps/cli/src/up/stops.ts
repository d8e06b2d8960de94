/** What has to be ended or given back, the newest first. */
export class Stops {
  private readonly steps: (() => void | Promise<void>)[] = [];

  add(step: () => void | Promise<void>): void {
    this.steps.push(step);
  }

  /** Does every step once, also after one that failed; resolves with a line for each failure. */
  async all(): Promise<string[]> {
    const failures: string[] = [];
    for (const step of this.steps.splice(0).reverse()) {
      try {
        await step();
      } catch (error) {
        failures.push(`while stopping: ${wordsOf(error)}`);
      }
    }
    return failures;
  }
}

/** What an error says, whatever was thrown. */
export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
