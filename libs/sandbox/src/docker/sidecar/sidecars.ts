import type Docker from 'dockerode';
import type { Namespace } from '@assay/contracts';
import { InfraError } from '@assay/failures';
import { statusOf } from '../engine-errors';
import { SharedWork } from '../shared-work';
import { helperImage, type Forwarder } from './forwarder-image';
import { Sidecar } from './sidecar';
import { SidecarLease } from './sidecar-lease';

/** A sidecar serves so long; then a new one takes its place. Milliseconds. */
const LIFE_MS = 86_400_000;

/** Beyond a sandbox's own deadline its sidecar stays this long. Milliseconds. */
const SLACK_MS = 3_600_000;

/** Held ready at most. */
const MOST_IDLE = 16;

export interface SidecarsOptions {
  readonly namespace: Namespace;
  readonly forwarder: Forwarder;
  /** An idle one is removed after this. Milliseconds. */
  readonly idleMs: number;
}

/**
 * Sidecars of this executor. One serves one sandbox at a time; when everything in that sandbox is dead it serves the next
 * (docs/adr/0009): starting one costs the engine as much as starting the sandbox itself.
 */
export class Sidecars {
  private readonly idle = new Map<Sidecar, NodeJS.Timeout>();
  private readonly images = new SharedWork<string>();
  private image: string | null = null;
  private closed = false;

  constructor(
    private readonly docker: Docker,
    private readonly options: SidecarsOptions,
  ) {}

  /** One that leads to this socket and stays until `until` (milliseconds since 1970). */
  async take(socket: string, until: number): Promise<SidecarLease> {
    const sidecar = (await this.idleOne(socket, until)) ?? (await this.start(socket, until));
    return new SidecarLease(sidecar, (dead) => this.giveBack(sidecar, dead));
  }

  private async idleOne(socket: string, until: number): Promise<Sidecar | null> {
    for (const [sidecar, timer] of [...this.idle]) {
      if (sidecar.socket !== socket || !this.idle.has(sidecar)) continue;
      this.idle.delete(sidecar);
      clearTimeout(timer);
      if (sidecar.alive && sidecar.deadline >= until) return sidecar;
      await sidecar.remove();
    }
    return null;
  }

  private async start(socket: string, until: number): Promise<Sidecar> {
    const { namespace } = this.options;
    const deadline = Math.max(Date.now() + LIFE_MS, until + SLACK_MS);
    try {
      return await Sidecar.start(this.docker, { namespace, image: await this.imageName(), socket, deadline });
    } catch (error) {
      if (statusOf(error) !== 404) throw error;
      // Somebody has tidied the image away.
      this.image = null;
      return Sidecar.start(this.docker, { namespace, image: await this.imageName(), socket, deadline });
    }
  }

  private async giveBack(sidecar: Sidecar, sandboxIsDead: boolean): Promise<void> {
    if (!sandboxIsDead || this.closed || !sidecar.alive || this.idle.size >= MOST_IDLE) {
      await sidecar.remove();
      return;
    }
    const retire = (): void => {
      this.idle.delete(sidecar);
      // One that cannot be removed now ends with this process, or is reaped at its deadline.
      sidecar.remove().catch(() => undefined);
    };
    this.idle.set(sidecar, setTimeout(retire, this.options.idleMs).unref());
  }

  async close(): Promise<void> {
    this.closed = true;
    const left = [...this.idle];
    this.idle.clear();
    await Promise.all(
      left.map(async ([sidecar, timer]) => {
        clearTimeout(timer);
        await sidecar.remove();
      }),
    );
  }

  private async imageName(): Promise<string> {
    const { namespace, forwarder } = this.options;
    this.image ??= await this.images.ask('image', new AbortController().signal, () =>
      helperImage(this.docker, namespace, forwarder),
    );
    return this.image;
  }
}

export function gatewayNotOffered(): InfraError {
  return new InfraError('this executor has no forwarder, so its sandboxes reach no model gateway', {
    code: 'gateway_not_offered',
    phase: 'prepare',
  });
}
