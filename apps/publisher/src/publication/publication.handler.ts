import { Controller, Inject } from '@nestjs/common';
import type { ArtifactStore } from '@assay/artifacts';
import type { Namespace, PublicationOutcome } from '@assay/contracts';
import { blockMarkers, type ReleasePort } from '@assay/github';
import { type WorkContext, WorkHandler, type WorkResult } from '@assay/messaging';
import { LOGGER } from '@assay/service-kit';
import type { Logger } from 'pino';
import { ARTIFACTS, RELEASES } from '../tokens';
import { patiently } from './patience';
import { ReleaseEdit } from './release-edit';
import { resultFile } from './result-file';

export interface PublisherSettings {
  readonly namespace: Namespace;
  /** A heartbeat must have been accepted this recently before a write. Milliseconds. */
  readonly freshMs: number;
  /** First pause after a passing failure of GitHub. Milliseconds. */
  readonly firstPauseMs: number;
}

/** Injection token of PublisherSettings. */
export const SETTINGS = Symbol('SETTINGS');

/** A client of one publication: its requests end with the publication's signal. */
export type ReleasesOf = (signal: AbortSignal) => ReleasePort;

/** Writes a run's result on its release, or looks one lease later whether it still stands. */
@Controller()
export class PublicationHandler {
  constructor(
    @Inject(RELEASES) private readonly releases: ReleasesOf,
    @Inject(ARTIFACTS) private readonly artifacts: ArtifactStore,
    @Inject(SETTINGS) private readonly settings: PublisherSettings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @WorkHandler('publication')
  async publish(work: WorkContext<'publication'>): Promise<WorkResult<'publication'>> {
    const { spec, key, signal } = work;
    work.phase('PUBLISHING');
    const logger = this.logger.child({
      runId: key.runId,
      epoch: work.epoch,
      release: `${spec.repository} ${spec.tag}`,
    });
    const file = resultFile(spec.result, this.settings.namespace);
    const edit = new ReleaseEdit({
      spec,
      client: this.releases(signal),
      markers: blockMarkers(this.settings.namespace, spec.result.suite),
      file,
      guard: () => work.ensureFresh(this.settings.freshMs),
      logger,
    });
    const outcome = await patiently(() => outcomeOf(edit, spec.phase), {
      signal,
      firstPauseMs: this.settings.firstPauseMs,
      onWait: (error, ms) => {
        logger.warn({ err: error, waitMs: ms }, 'publication waits for GitHub');
      },
    });
    logger.info({ outcome: outcome.kind }, 'publication done');
    return { outcome, artifacts: [await this.artifacts.put('result', file.mediaType, file.content)] };
  }
}

/** `verify` that finds the block gone or changed writes it again, to be looked at once more. */
async function outcomeOf(edit: ReleaseEdit, phase: 'write' | 'verify'): Promise<PublicationOutcome> {
  const standing = phase === 'verify' ? await edit.standing() : null;
  const outcome: PublicationOutcome =
    standing === null ? await edit.write() : { kind: 'verified', blockDigest: standing };
  await edit.removeOlderFiles();
  return outcome;
}
