import { InfraError } from '@assay/failures';
import type { Phase } from '@assay/contracts';
import { GATEWAY_PORT, type Sidecar } from './sidecar';

/** A sidecar for the time of one sandbox. */
export class SidecarLease {
  private readonly breaking = new AbortController();
  private readonly unhear: () => void;
  private ended: Promise<void> | null = null;

  constructor(
    private readonly sidecar: Sidecar,
    private readonly giveBack: (sandboxIsDead: boolean) => Promise<void>,
  ) {
    this.unhear = sidecar.whenLost(() => {
      this.breaking.abort();
    });
    if (!sidecar.alive) this.breaking.abort();
  }

  get containerId(): string {
    return this.sidecar.id;
  }

  /** Address of the gateway inside the sandbox. */
  get url(): string {
    return `http://127.0.0.1:${GATEWAY_PORT}`;
  }

  /** Aborted when the sidecar ends before the sandbox. */
  get lost(): AbortSignal {
    return this.breaking.signal;
  }

  lostError(phase: Phase): InfraError {
    return new InfraError('the way from the sandbox to the model gateway broke', { code: 'gateway_lost', phase });
  }

  /** @param sandboxIsDead to its last process: only then may the sidecar serve another sandbox */
  end(sandboxIsDead: boolean): Promise<void> {
    this.unhear();
    this.ended ??= this.giveBack(sandboxIsDead);
    return this.ended;
  }
}
