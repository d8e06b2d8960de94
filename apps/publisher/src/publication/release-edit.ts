import type { PublicationOutcome, PublicationSpec } from '@assay/contracts';
import { BlamedError, InfraError } from '@assay/failures';
import {
  blockDigest,
  type BlockMarkers,
  bodyWithResult,
  type NewAsset,
  outsideBlocks,
  type Release,
  type ReleaseAsset,
  type ReleasePort,
  type WriteGuard,
} from '@assay/github';
import type { Logger } from 'pino';
import { checkRelease } from './check-release';
import { olderResultFiles } from './result-file';

type Written = Extract<PublicationOutcome, { kind: 'written' }>;

/** What one publication works on. */
export interface EditDeps {
  readonly spec: PublicationSpec;
  readonly client: ReleasePort;
  readonly markers: BlockMarkers;
  readonly file: NewAsset;
  /** Rejects when the lease is not fresh; runs before every write. */
  readonly guard: WriteGuard;
  readonly logger: Logger;
}

/** How often a block that somebody changes right after it was written is written again. */
const WRITES = 3;

/** One publication's doings on its release. Everything may be repeated, by whomever, at any point. */
export class ReleaseEdit {
  constructor(private readonly deps: EditDeps) {}

  /** The block's digest if it stands as the write left it, else null. */
  async standing(): Promise<string | null> {
    const { body } = await this.read();
    const found = blockDigest(body, this.deps.markers);
    return found === this.deps.spec.blockDigest ? found : null;
  }

  /**
   * Uploads the result, then writes the block that points to it, then reads back. The notes are read right before the
   * write: GitHub cannot make a write conditional, so a person's edit in the moment between the two is lost. That moment
   * is one round trip long.
   */
  async write(): Promise<Written> {
    const { spec, client, markers, guard } = this.deps;
    const asset = await this.ensureFile(await this.read());
    const links = { resultUrl: asset?.downloadUrl ?? null, resultName: asset?.name ?? null };
    for (let tries = 1; tries <= WRITES; tries += 1) {
      await client.writeTurn();
      await guard();
      const before = await this.read();
      const wanted = bodyWithResult(before.body, spec.result, links, markers);
      const after = wanted === before.body ? before : await this.replaced(wanted);
      const digest = blockDigest(after.body, markers);
      if (digest !== null && digest === blockDigest(wanted, markers)) {
        return {
          kind: 'written',
          blockDigest: digest,
          assetName: asset?.name ?? null,
          assetUrl: asset?.downloadUrl ?? null,
          previousBody: before.body ?? '',
        };
      }
    }
    throw new InfraError('the block does not stand as it was written: somebody changes the notes at the same time', {
      code: 'release_drift',
      phase: 'publish',
      details: { writes: WRITES },
    });
  }

  /** Removes files of earlier results of this suite, last of all. That it fails takes nothing from the publication. */
  async removeOlderFiles(): Promise<void> {
    const { spec, client, file, guard, logger } = this.deps;
    try {
      const release = await this.read();
      if (release.immutable) return;
      for (const older of olderResultFiles(await client.listAssets(spec.repository, release.id), file)) {
        await client.deleteAsset(spec.repository, older.id, guard);
        logger.info({ asset: older.name }, 'older result file removed');
      }
    } catch (error) {
      if (!(error instanceof BlamedError) || error.phase === 'lease') throw error;
      logger.warn({ err: error }, 'older result files could not be removed');
    }
  }

  private async read(): Promise<Release> {
    const { spec, client } = this.deps;
    const release = await client.getRelease(spec.repository, spec.releaseId);
    checkRelease(release, spec);
    return release;
  }

  /** Null: the release takes no files. Older servers do not say so before they refuse. */
  private async ensureFile(release: Release): Promise<ReleaseAsset | null> {
    const { spec, client, file, guard } = this.deps;
    if (release.immutable) return null;
    try {
      return await client.ensureAsset(spec.repository, release, file, guard);
    } catch (error) {
      if (error instanceof InfraError && error.code === 'github_immutable') return null;
      throw error;
    }
  }

  private async replaced(wanted: string): Promise<Release> {
    const { spec, client, markers, guard, logger } = this.deps;
    await client.updateBody(spec.repository, spec.releaseId, wanted, guard);
    const after = await this.read();
    if (outsideBlocks(after.body, markers) !== outsideBlocks(wanted, markers)) {
      logger.info('the notes around the block were changed by somebody after the write; they stay as they are');
    }
    return after;
  }
}
