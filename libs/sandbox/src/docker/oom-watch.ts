import type Docker from 'dockerode';
import type { Phase } from '@assay/contracts';
import { answered } from './bounded';
import { containerEvents } from './container-events';

/**
 * Tells whether the kernel has killed for memory since the last question. The counter inside says it best. Where memory is
 * so full that whoever reads it is killed too, the engine's events tell (its `State.OOMKilled` stays false until the
 * container ends); and where the container has ended, its state.
 */
export class OomWatch {
  /** Null: events have told more than the counter that was read last. */
  private kills: number | null = 0;
  /** Nanoseconds since 1970 of the last event that was told. */
  private lastEvent = 0;

  constructor(
    private readonly container: Docker.Container,
    private readonly phase: Phase,
  ) {}

  /** @param count what the counter inside says; null: it could not be read */
  async sawKill(count: number | null): Promise<boolean> {
    if (count === null) return this.sawEvent();
    // What the events told stands in the counter too: it is taken anew.
    const grown = this.kills !== null && count > this.kills;
    this.kills = count;
    return grown;
  }

  private async sawEvent(): Promise<boolean> {
    const { State } = await answered(this.container.inspect(), this.phase);
    // The mark of a container that has ended never goes away.
    if (!State.Running) return State.OOMKilled && this.kills === 0;
    const last = Math.max(0, ...(await this.eventTimes()));
    const grown = last > this.lastEvent;
    this.lastEvent = Math.max(last, this.lastEvent);
    if (grown) this.kills = null;
    return grown;
  }

  private async eventTimes(): Promise<number[]> {
    return (await containerEvents(this.container, ['oom'], this.phase)).map(({ timeNano }) => timeNano);
  }
}
