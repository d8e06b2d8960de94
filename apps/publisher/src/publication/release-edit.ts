import { assertNever, type Namespace, type PublicationOutcome, type PublicationSpec } from '@assay/contracts';
import { BlamedError, InfraError, TaskError } from '@assay/failures';
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
import type { PublishAnswer } from '@assay/release-policy';
import type { Logger } from 'pino';
import { olderFiles } from '../files/own-files';
import { checkRelease } from './check-release';
import { predictedLinks, releaseDifference } from './release-difference';

type Written = Extract<PublicationOutcome, { kind: 'written' }>;
type Verified = Extract<PublicationOutcome, { kind: 'verified' }>;

/** A dry run: nothing was written. `difference`: as a unified diff, with the files before it. */
export interface Shown {
  readonly kind: 'shown';
  readonly reason: string;
  readonly difference: string;
}

/** What one publication works on. */
export interface EditDeps {
  readonly spec: PublicationSpec;
  readonly namespace: Namespace;
  readonly client: ReleasePort;
  readonly markers: BlockMarkers;
  /** Makes the publication's files, once. */
  readonly files: () => Promise<readonly NewAsset[]>;
  /** The gate, asked of the release as it is right before each write. */
  readonly permit: (release: Release) => PublishAnswer;
  /** Rejects when the lease is not fresh; runs before every write. */
  readonly guard: WriteGuard;
  readonly logger: Logger;
}

/** How often a block that somebody changes right after it was written is written again. */
const WRITES = 3;

/** One publication's doings on its release. Everything may be repeated, by whomever, at any point. */
export class ReleaseEdit {
  constructor(private readonly deps: EditDeps) {}

  /**
   * Writes, or looks whether it still stands (`verify`); what does not stand any more is written again, to be looked at
   * once more.
   * @throws TaskError where it may not be written at all: `publication_refused`, `release_mismatch`, `release_deleted`
   */
  async settle(): Promise<Written | Verified | Shown> {
    try {
      return await this.settled();
    } catch (error) {
      throw await this.unshown(error);
    }
  }

  private async settled(): Promise<Written | Verified | Shown> {
    const { spec, permit } = this.deps;
    if (spec.phase === 'verify') {
      const blockDigest = await this.standing();
      if (blockDigest !== null) {
        await this.removeOlderFiles(spec.assetNames, 'insist');
        return { kind: 'verified', blockDigest };
      }
    }
    const release = await this.read();
    const { answer, reason } = permit(release);
    switch (answer) {
      case 'no':
        throw this.refused(reason);
      case 'dry_run':
        return { kind: 'shown', reason: reason ?? 'a dry run', difference: await this.difference(release) };
      case 'write': {
        const written = await this.write(release);
        await this.removeOlderFiles(
          written.assets.map(({ name }) => name),
          'try',
        );
        return written;
      }
      default:
        return assertNever(answer);
    }
  }

  /** The block's digest if it and its files stand as the write left them, else null. */
  private async standing(): Promise<string | null> {
    const { spec, client, markers } = this.deps;
    const { id, body } = await this.read();
    const found = blockDigest(body, markers);
    if (found === null || found !== spec.blockDigest) return null;
    if (spec.assetNames.length === 0) return found;
    const whole = new Set(
      (await client.listAssets(spec.repository, id)).filter(({ uploaded }) => uploaded).map(({ name }) => name),
    );
    return spec.assetNames.every((name) => whole.has(name)) ? found : null;
  }

  /**
   * Uploads the files, then writes the block that points to them, then reads back. The notes are read right before the
   * write: GitHub cannot make a write conditional, so a person's edit in the moment between the two is lost. That moment
   * is one round trip long.
   */
  private async write(first: Release): Promise<Written> {
    const { spec, client, markers, permit, guard } = this.deps;
    const files = await this.filesFor(first);
    // Before anything is written: without room in the notes there is no use for the files either.
    bodyWithResult(first.body, spec.result, predictedLinks(first, files), markers);
    const assets = await this.ensureFiles(first, files);
    const links = assets.map(({ file, asset }) => ({ title: file.title, name: asset.name, url: asset.downloadUrl }));
    for (let tries = 1; tries <= WRITES; tries += 1) {
      await client.writeTurn();
      await guard();
      const before = await this.read();
      const { answer, reason } = permit(before);
      if (answer !== 'write') throw this.refused(reason);
      const wanted = bodyWithResult(before.body, spec.result, links, markers);
      const after = wanted === before.body ? before : await this.replaced(wanted);
      const digest = blockDigest(after.body, markers);
      if (digest !== null && digest === blockDigest(wanted, markers)) {
        return {
          kind: 'written',
          blockDigest: digest,
          assets: assets.map(({ file, asset }) => ({
            name: asset.name,
            url: asset.downloadUrl,
            digest: file.digest,
            size: file.size,
          })),
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

  /**
   * Removes files of earlier results of this suite, last of all. What the token may not remove takes nothing from the
   * publication. A failure that passes is left to the look one lease later, which insists.
   */
  private async removeOlderFiles(current: readonly string[], how: 'try' | 'insist'): Promise<void> {
    const { spec, namespace, client, guard, logger } = this.deps;
    try {
      const release = await this.read();
      if (release.immutable) return;
      const assets = await client.listAssets(spec.repository, release.id);
      for (const older of olderFiles(assets, { suite: spec.result.suite, namespace, current })) {
        await client.deleteAsset(spec.repository, older.id, guard);
        logger.info({ asset: older.name }, 'older file removed');
      }
    } catch (error) {
      if (!(error instanceof BlamedError) || error.phase === 'lease') throw error;
      if (how === 'insist' && error.code !== 'github_forbidden') throw error;
      logger.warn({ err: error }, 'older files could not be removed');
    }
  }

  private async difference(release: Release): Promise<string> {
    const { spec, namespace, client, markers } = this.deps;
    const files = await this.filesFor(release);
    const body = bodyWithResult(release.body, spec.result, predictedLinks(release, files), markers);
    const assets = release.immutable ? [] : await client.listAssets(spec.repository, release.id);
    const current = files.map(({ name }) => name);
    const older = olderFiles(assets, { suite: spec.result.suite, namespace, current });
    const there = new Set(assets.map(({ name }) => name));
    return releaseDifference(release, body, { added: files.filter(({ name }) => !there.has(name)), removed: older });
  }

  /** An immutable release takes no files. */
  private async filesFor({ immutable }: Release): Promise<readonly NewAsset[]> {
    return immutable ? [] : this.deps.files();
  }

  private async read(): Promise<Release> {
    const { spec, client } = this.deps;
    const release = await client.getRelease(spec.repository, spec.releaseId);
    checkRelease(release, spec);
    return release;
  }

  /** Why GitHub does not know the release: gone for good, where that is certain; else as it came. */
  private async unshown(error: unknown): Promise<unknown> {
    const { spec, client } = this.deps;
    if (!(error instanceof InfraError && error.code === 'github_not_found')) return error;
    const { repository, releaseId: id, tag } = spec;
    const where = await client.whereabouts(repository, { id, tag });
    const details = { repository, releaseId: id, tag };
    switch (where) {
      case 'there':
      case 'hidden':
        return error;
      case 'deleted':
        return new TaskError(`the release ${tag} of ${repository} was deleted`, {
          code: 'release_deleted',
          phase: 'publish',
          details,
        });
      case 'made_anew':
        return new TaskError(`the release of the run was deleted, and ${tag} of ${repository} is another one now`, {
          code: 'release_mismatch',
          phase: 'publish',
          details,
        });
      default:
        return assertNever(where);
    }
  }

  /** Empty: the release takes no files. Older servers do not say so before they refuse. */
  private async ensureFiles(
    release: Release,
    files: readonly NewAsset[],
  ): Promise<{ readonly file: NewAsset; readonly asset: ReleaseAsset }[]> {
    const { spec, client, guard } = this.deps;
    const ensured: { file: NewAsset; asset: ReleaseAsset }[] = [];
    try {
      for (const file of files) {
        ensured.push({ file, asset: await client.ensureAsset(spec.repository, release, file, guard) });
      }
      return ensured;
    } catch (error) {
      if (error instanceof InfraError && error.code === 'github_immutable') return [];
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

  private refused(reason: string | null): TaskError {
    const { repository, tag } = this.deps.spec;
    return new TaskError(reason ?? 'the policy does not let it be written', {
      code: 'publication_refused',
      phase: 'publish',
      details: { repository, tag },
    });
  }
}
