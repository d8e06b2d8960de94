import { timingSafeEqual } from 'node:crypto';
import { tokenHash, type TrialSession } from './trial-session';

/** The trials that are open. A token that is not among them opens nothing. */
export class TrialRegistry {
  private readonly sessions = new Set<TrialSession>();

  get size(): number {
    return this.sessions.size;
  }

  has(key: string): boolean {
    return [...this.sessions].some((session) => session.key === key);
  }

  add(session: TrialSession): void {
    this.sessions.add(session);
  }

  remove(session: TrialSession): void {
    this.sessions.delete(session);
  }

  all(): TrialSession[] {
    return [...this.sessions];
  }

  /** The session that one of the tokens belongs to. Takes the same time whichever it is, and whether there is one. */
  holderOf(tokens: readonly string[]): TrialSession | null {
    let holder: TrialSession | null = null;
    for (const shown of tokens.map(tokenHash)) {
      for (const session of this.sessions) {
        if (timingSafeEqual(shown, session.tokenHash)) holder = session;
      }
    }
    return holder;
  }
}
