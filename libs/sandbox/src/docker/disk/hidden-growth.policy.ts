/** A sandbox and the engine's disk, as they are seen together. Bytes. */
export interface GrowthSeen {
  /** What the sandbox is known to have on the disk. */
  readonly countedBytes: number;
  readonly freeBytes: number;
  /** The most that was free since the sandbox is watched. */
  readonly mostFreeBytes: number;
  /** It has a place on the disk that cannot be weighed. */
  readonly hides: boolean;
}

export interface GrowthBounds {
  /** Below this the disk is nearly full. Bytes. */
  readonly floorBytes: number;
  /** What the sandbox may have on the disk. Bytes. */
  readonly maxBytes: number;
}

/**
 * Whether a sandbox is ended to keep the disk from getting full: it is nearly full, more was lost since the sandbox is
 * watched than the sandbox may have beside what it is known to have, and the sandbox hides something. One that hides
 * nothing is never ended, whatever others do to the disk. That it was this one is known only by what comes back.
 */
export function isSuspect(seen: GrowthSeen, { floorBytes, maxBytes }: GrowthBounds): boolean {
  if (!seen.hides || seen.freeBytes >= floorBytes) return false;
  return seen.mostFreeBytes - seen.freeBytes > maxBytes + seen.countedBytes;
}
