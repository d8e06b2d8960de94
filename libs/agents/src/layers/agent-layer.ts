/** Where a layer is mounted in a sandbox. */
export const LAYER_DIR = '/opt/assay-agent';

/** An agent's package on the host, complete and checked: mounted read-only into every sandbox that runs it. */
export interface AgentLayer {
  /** `<name>-<version>-<hash>`: the same id is the same content. */
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly hostDir: string;
}

/** A layer as commands of one sandbox see it. */
export interface PlacedLayer {
  readonly id: string;
  readonly version: string;
  /** Absolute path inside. */
  readonly dir: string;
}

/** The layer in a sandbox that mounts it at `dir`; in the process sandbox, which mounts nothing, that is its folder here. */
export function placedAt({ id, version }: AgentLayer, dir: string): PlacedLayer {
  return { id, version, dir };
}
