import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { ExitError } from '../output';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Between two looks at who runs us. */
const LOOK_MS = 500;

/** Process id of our parent's parent; null where the system does not tell (anything but Linux). */
function grandparent(): number | null {
  try {
    const stat = readFileSync(`/proc/${process.ppid}/stat`, 'utf8');
    // The name in brackets may hold anything, brackets too.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return null; // no /proc, or the parent is gone: then `process.ppid` has changed, too
  }
}

/** Exit code of a process that this signal ended, as shells tell it: 128 + its number. */
export function exitCodeOfSignal(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

/**
 * Everything that can ask this process to stop, as one AbortSignal whose reason is an ExitError: signals, the end of
 * the program that started it, a terminal or pipe that is gone, an error that nobody caught.
 */
export class Stopper {
  private readonly controller = new AbortController();
  private readonly undo: (() => void)[] = [];

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Only the first reason counts. */
  stop(reason: ExitError): void {
    this.controller.abort(reason);
  }

  /** Listens for good: a terminal and `npm start` may both hand on one Ctrl-C, and a second must not end us amid the stopping. */
  listen(): void {
    for (const signal of SIGNALS) {
      this.on(process, signal, () => {
        this.stop(new ExitError(exitCodeOfSignal(signal)));
      });
    }
    // `npm start` holds a channel to us: it closes when that process is killed.
    if (process.connected) {
      this.on(process, 'disconnect', () => {
        this.stop(new ExitError(exitCodeOfSignal('SIGHUP')));
      });
      process.channel?.unref();
    }
    // npx runs us in a shell that does not tell us when npx is killed; that shell then has another parent.
    if (process.env['npm_lifecycle_event'] === 'npx') this.watchNpx();
    // Nobody reads what we say any more.
    this.on(process.stdout, 'error', () => {
      this.stop(new ExitError(exitCodeOfSignal('SIGPIPE')));
    });
    this.on(process.stderr, 'error', () => undefined);
    this.on(process, 'uncaughtException', (error) => {
      this.stop(new ExitError(1, error.message));
    });
  }

  private watchNpx(): void {
    const npx = grandparent();
    const timer = setInterval(() => {
      if (grandparent() !== npx) this.stop(new ExitError(exitCodeOfSignal('SIGTERM')));
    }, LOOK_MS);
    timer.unref();
    this.undo.push(() => {
      clearInterval(timer);
    });
  }

  /** Listens no longer. */
  end(): void {
    for (const undo of this.undo.splice(0)) undo();
  }

  private on(emitter: NodeJS.EventEmitter, event: string, listener: (error: Error) => void): void {
    emitter.on(event, listener);
    this.undo.push(() => emitter.off(event, listener));
  }
}
