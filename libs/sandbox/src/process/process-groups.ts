import { codeOf } from '../system-error';
import { killQuietly } from './strays';

/**
 * The process groups of a sandbox's commands, so that all of them can be killed, and nothing else: the number of a group
 * that has died out is given to another process sooner or later (a Linux machine often has no more than 32,768).
 */
export class ProcessGroups {
  /** Their leader runs, or nobody has waited for it: the number is theirs. */
  private readonly led = new Set<number>();
  /** Their leader has ended and left others behind, which keep the number from being given away. */
  private readonly orphaned = new Set<number>();

  begun(pgid: number): void {
    this.led.add(pgid);
  }

  /** To be called when the leader has been waited for. */
  ended(pgid: number): void {
    this.led.delete(pgid);
    if (exists(-pgid)) this.orphaned.add(pgid);
  }

  /** Kills whoever is in them. A group that is orphaned has no process of its own number: one that has it is a stranger. */
  kill(): void {
    for (const pgid of this.led) killQuietly(-pgid);
    for (const pgid of this.orphaned) if (!exists(pgid)) killQuietly(-pgid);
    this.orphaned.clear();
  }
}

/** @param target a process, or with a negative id a group that has at least one */
function exists(target: number): boolean {
  try {
    process.kill(target, 0);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EPERM') return true;
    if (codeOf(error) === 'ESRCH') return false;
    throw error;
  }
}
