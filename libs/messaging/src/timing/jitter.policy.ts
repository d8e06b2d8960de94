/** `ms` and up to a fifth more, at random, so that workers which waited for the same thing do not come back together. */
export function jittered(ms: number, random: () => number = Math.random): number {
  return Math.round(ms * (1 + random() / 5));
}

const FIRST_MS = 250;
const LONGEST_MS = 5_000;

/** Pause before try `failures + 1`: doubles from 250 ms to 5 s; half of it is random. */
export function retryPauseMs(failures: number, random: () => number = Math.random): number {
  const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.max(0, failures - 1));
  return Math.round(full * (0.5 + random() / 2));
}
