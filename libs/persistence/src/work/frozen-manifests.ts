import { Manifest, type InstanceId, type ManifestInstance, type RunId } from '@assay/contracts';
import type { Sql } from '../database';

/** A manifest and its instances by id. */
export interface FrozenManifest {
  readonly manifest: Manifest;
  readonly instances: ReadonlyMap<InstanceId, ManifestInstance>;
}

/**
 * Manifests by digest. They are content-addressed, so what was read once is true for ever; without this every claim
 * would carry and parse the whole manifest of its run. Keeps the `capacity` (default 16) last used ones.
 */
export class FrozenManifests {
  private readonly byDigest = new Map<string, FrozenManifest>();

  constructor(private readonly capacity = 16) {}

  /** The manifest with `digest`, read from the run's row when it is not known yet. Throws when the run has another. */
  async of(sql: Sql, runId: RunId, digest: string): Promise<FrozenManifest> {
    const known = this.byDigest.get(digest);
    const found = known ?? (await read(sql, runId, digest));
    this.byDigest.delete(digest);
    this.byDigest.set(digest, found);
    const oldest = this.byDigest.keys().next().value;
    if (this.byDigest.size > this.capacity && oldest !== undefined) this.byDigest.delete(oldest);
    return found;
  }
}

async function read(sql: Sql, runId: RunId, digest: string): Promise<FrozenManifest> {
  const [row] = await sql.query<{ manifest: unknown }>(
    'select manifest from runs where id = $1 and manifest_digest = $2',
    [runId, digest],
  );
  if (row === undefined) throw new Error(`run ${runId} has no manifest ${digest}`);
  const manifest = Manifest.parse(row.manifest);
  return { manifest, instances: new Map(manifest.instances.map((instance) => [instance.id, instance])) };
}
