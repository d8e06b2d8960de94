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

interface Making {
  readonly abort: AbortController;
  /** Of the work; null: it is still looking for what is there already. */
  name: string | null;
  /** What trials asked for while the name was not known. */
  readonly wanted: Set<string>;
}

function stop({ abort }: Making): void {
  abort.abort(new Error('a trial waits for another image'));
}

/**
 * Makes images ready that no trial waits for yet: one at a time on the engine, never while a trial waits for another one,
 * and only where registry and budget have nothing against it.
 */
export class ImageAhead {
  private making: Making | null = null;

  constructor(private readonly parts: AheadParts) {}

  /**
   * A trial asks for the work of this name. What is made ahead stops, unless the two are the same work.
   * @returns whether that work was begun ahead
   */
  giveWay(name: string): boolean {
    const { making } = this;
    if (making === null) return false;
    if (making.name === null) {
      making.wanted.add(name);
      return true;
    }
    if (making.name === name || this.parts.shared.has(name)) return true;
    stop(making);
    return false;
  }

  /** What is made ahead has found out which work that is. It stops where a trial has asked for another one meanwhile. */
  begin(name: string): void {
    const { making } = this;
    if (making === null) return;
    making.name = name;
    if ([...making.wanted].some((wanted) => wanted !== name)) stop(making);
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
    const making: Making = { abort: new AbortController(), name: null, wanted: new Set() };
    this.making = making;
    const stopped = making.abort.signal;
    try {
      await work(AbortSignal.any([signal, stopped, AbortSignal.timeout(LONGEST_MS)]));
      return 'made';
    } catch (error) {
      if (stopped.aborted) return 'gave_way';
      throw error;
    } finally {
      this.making = null;
    }
  }

  private isBusy(): boolean {
    return this.making !== null || this.parts.shared.isBusy;
  }
}
