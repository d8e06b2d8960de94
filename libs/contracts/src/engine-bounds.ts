/** What the machine has on which a Docker engine runs. */
export interface EngineSize {
  readonly cpus: number;
  /** MiB. */
  readonly memoryMb: number;
}

/** A limit that no sandbox on an engine can have. */
export interface BeyondEngine {
  readonly field: 'cpus' | 'memoryMb';
  readonly wanted: number;
  /** The most that is possible there. */
  readonly most: number;
}

const GIBIBYTE_MB = 1_024;

/**
 * The first limit that is beyond an engine; null: all are possible there. The kernel keeps some memory for itself, so a
 * machine counts with its next whole GiB: one that is sold with 4 GiB has 3.8.
 */
export function beyondEngine(limits: EngineSize, engine: EngineSize): BeyondEngine | null {
  const memoryMb = Math.ceil(engine.memoryMb / GIBIBYTE_MB) * GIBIBYTE_MB;
  if (limits.cpus > engine.cpus) return { field: 'cpus', wanted: limits.cpus, most: engine.cpus };
  if (limits.memoryMb > memoryMb) return { field: 'memoryMb', wanted: limits.memoryMb, most: memoryMb };
  return null;
}
