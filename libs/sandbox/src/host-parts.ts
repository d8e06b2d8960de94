import type { BytePath } from './byte-path';

/** Files and links of a folder of the host, and where they go. */
export interface HostParts {
  readonly hostDir: string;
  /** Below `hostDir`, and below `insideDir` then. */
  readonly paths: readonly BytePath[];
  readonly insideDir: string;
  readonly signal: AbortSignal;
}

/** Entries that are put at once: enough that the engine's own time for a call does not count. */
const PORTION = 2_000;

export function* portionsOf(paths: readonly BytePath[]): Generator<readonly BytePath[]> {
  for (let at = 0; at < paths.length; at += PORTION) yield paths.slice(at, at + PORTION);
}
