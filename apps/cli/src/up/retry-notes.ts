import type { InstanceView, RunView } from '@assay/contracts';

/** Says why instances wait for another try: each reason once, so that nobody has to look into logs. */
export class RetryNotes {
  private readonly told = new Set<string>();
  private retries = 0;

  constructor(
    private readonly instances: () => Promise<readonly InstanceView[]>,
    private readonly note: (line: string) => void,
  ) {}

  /** Looks only when the number of those that wait has changed. */
  async look({ states }: RunView): Promise<void> {
    const waiting = states.RETRY_WAIT ?? 0;
    if (waiting === this.retries) return;
    this.retries = waiting;
    if (waiting === 0) return;
    for (const { instanceId, state, failure } of await this.instances()) {
      if (state !== 'RETRY_WAIT' || failure === null) continue;
      const reason = `${failure.code}: ${failure.message}`;
      if (this.told.has(reason)) continue;
      this.told.add(reason);
      this.note(`${instanceId} is tried again: ${reason}`);
    }
  }
}
