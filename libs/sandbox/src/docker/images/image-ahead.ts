import type { AheadOutcome } from '../../sandbox.port';
import type { SharedWork } from '../shared-work';
import type { EngineTurn } from './engine-turn';

/** What is made ahead may take this long, and hold its turn so long. Milliseconds. */
const LONGEST_MS = 900_000;

export interface AheadParts {
  /** The pulls and builds that are under way here. */
  readonly shared: SharedWork<string>;
  readonly turn: EngineTurn;
}

export interface AheadRequest {
  /** How long the registry is to be left alone still. Milliseconds. */
  readonly pausedMs: number;
  /** Whether the budget has room for one more, after what may go has gone. */
  readonly hasRoom: () => Promise<boolean>;
  readonly signal: AbortSignal;
}

/**
 * Makes images ready that no trial waits for yet: one at a time on the engine, never while a trial waits for another one,
 * and only where registry and budget have nothing against it.
 */
export class ImageAhead {
  private making: AbortController | null = null;

  constructor(private readonly parts: AheadParts) {}

  /**
   * A trial asks for the work of this name. What is made ahead stops, unless the two are the same work.
   * @returns whether that work was begun ahead
   */
  giveWay(name: string): boolean {
    if (this.making === null) return false;
    if (this.parts.shared.has(name)) return true;
    this.making.abort(new Error('a trial waits for another image'));
    return false;
  }

  async make(request: AheadRequest, work: (signal: AbortSignal) => Promise<unknown>): Promise<AheadOutcome> {
    if (this.isBusy()) return 'busy';
    if (request.pausedMs > 0) return 'paused';
    if (!(await request.hasRoom())) return 'no_room';
    const endTurn = await this.parts.turn.take(LONGEST_MS);
    if (endTurn === null) return 'busy';
    try {
      return this.isBusy() ? 'busy' : await this.work(request.signal, work);
    } finally {
      await endTurn();
    }
  }

  private async work(signal: AbortSignal, work: (signal: AbortSignal) => Promise<unknown>): Promise<AheadOutcome> {
    const making = new AbortController();
    this.making = making;
    try {
      await work(AbortSignal.any([signal, making.signal, AbortSignal.timeout(LONGEST_MS)]));
      return 'made';
    } catch (error) {
      if (making.signal.aborted) return 'gave_way';
      throw error;
    } finally {
      this.making = null;
    }
  }

  private isBusy(): boolean {
    return this.making !== null || this.parts.shared.isBusy;
  }
}
