import { Inject, Injectable } from '@nestjs/common';
import type { ArtifactCondition, ArtifactStore } from '@assay/artifacts';
import type { ArtifactRef, ResultMessage } from '@assay/contracts';
import type { BadArtifact } from '@assay/persistence';
import { ARTIFACTS } from '../tokens';

/** Digests that are remembered as whole: some megabytes. */
const REMEMBERED = 20_000;

/**
 * Looks whether the store holds what results name: present, of that size, and with that digest. Content of one digest is
 * hashed once per process; that it is still there, with its size, is looked at every time.
 */
@Injectable()
export class ArtifactCheck {
  private readonly whole = new Set<string>();

  constructor(@Inject(ARTIFACTS) private readonly store: ArtifactStore) {}

  /** What is not as the message says; rejects while the store cannot be read. */
  async badOf({ artifacts, outcome }: ResultMessage): Promise<BadArtifact[]> {
    const named = outcome.kind === 'completed' ? [outcome.patch, outcome.trajectory] : [];
    const all = new Map([...named, ...artifacts].flatMap((ref) => (ref === null ? [] : [[keyOf(ref), ref] as const])));
    const looked = await Promise.all([...all.values()].map((ref) => this.look(ref)));
    return looked.flatMap(({ artifact, condition }) => (condition === 'whole' ? [] : [{ artifact, condition }]));
  }

  private async look(artifact: ArtifactRef): Promise<{ artifact: ArtifactRef; condition: ArtifactCondition }> {
    if (this.whole.has(artifact.digest)) {
      const size = await this.store.stat(artifact.digest);
      if (size === artifact.size) return { artifact, condition: 'whole' };
      this.whole.delete(artifact.digest);
    }
    const condition = await this.store.inspect(artifact);
    if (condition === 'whole') this.remember(artifact.digest);
    return { artifact, condition };
  }

  private remember(digest: string): void {
    this.whole.add(digest);
    const [oldest] = this.whole;
    if (this.whole.size > REMEMBERED && oldest !== undefined) this.whole.delete(oldest);
  }
}

/** One reference may stand among the artifacts and in the outcome. */
function keyOf({ digest, size }: ArtifactRef): string {
  return `${digest} ${size}`;
}
