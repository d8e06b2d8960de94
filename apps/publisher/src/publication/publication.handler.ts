import type { KeyObject } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Controller, Inject } from '@nestjs/common';
import type { ArtifactStore } from '@assay/artifacts';
import type { ArtifactRef, Namespace, PublicationOutcome } from '@assay/contracts';
import { TaskError } from '@assay/failures';
import { blockMarkers, type NewAsset, type ReleasePort } from '@assay/github';
import { type WorkContext, WorkHandler, type WorkResult } from '@assay/messaging';
import type { ReleasePolicy } from '@assay/release-policy';
import { LOGGER } from '@assay/service-kit';
import type { Logger } from 'pino';
import { publicationFiles } from '../files/publication-files';
import { resultFile } from '../files/result-file';
import { ARTIFACTS, RELEASES } from '../tokens';
import { patiently } from './patience';
import { permission } from './publication-gate';
import { ReleaseEdit, type Shown } from './release-edit';

export interface PublisherSettings {
  readonly namespace: Namespace;
  /** A heartbeat must have been accepted this recently before a write. Milliseconds. */
  readonly freshMs: number;
  /** First pause after a passing failure of GitHub. Milliseconds. */
  readonly firstPauseMs: number;
  /** Null: none is configured. */
  readonly policy: ReleasePolicy | null;
  /** Lines of other tools that show where a result belongs in the notes. */
  readonly anchors: readonly string[];
  /** Signs the files of a publication; null: nothing is signed. */
  readonly signingKey: KeyObject | null;
  /** What this process must never let out, as it is now. */
  readonly secrets: () => readonly string[];
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
    work.phase('PUBLISHING');
    const { spec, key } = work;
    const release = `${spec.repository} ${spec.tag}`;
    const logger = this.logger.child({ runId: key.runId, epoch: work.epoch, release });
    const workDir = await mkdtemp(join(tmpdir(), 'assay-publication-'));
    try {
      const settled = await this.settled(work, { workDir, logger });
      const { outcome, difference } = await this.told(settled);
      logger.info({ outcome: outcome.kind }, 'publication done');
      return { outcome, artifacts: [await this.keepResult(work), ...difference] };
    } finally {
      await rm(workDir, { recursive: true, force: true });
    }
  }

  /** What came of it; a release that may not be written to is an answer too. */
  private async settled(
    work: WorkContext<'publication'>,
    { workDir, logger }: { workDir: string; logger: Logger },
  ): Promise<PublicationOutcome | Shown> {
    const { spec, signal } = work;
    const { namespace, policy, anchors, secrets, signingKey, freshMs, firstPauseMs } = this.settings;
    let files: Promise<NewAsset[]> | null = null;
    const edit = new ReleaseEdit({
      spec,
      namespace,
      client: this.releases(signal),
      markers: blockMarkers(namespace, spec.result.suite, anchors),
      files: () =>
        (files ??= publicationFiles(
          spec,
          { artifacts: this.artifacts, namespace, workDir, secrets: secrets() },
          signingKey,
        )),
      permit: (release) => permission(release, spec, policy),
      guard: () => work.ensureFresh(freshMs),
      logger,
    });
    const onWait = (error: unknown, ms: number): void => {
      logger.warn({ err: error, waitMs: ms }, 'publication waits for GitHub');
    };
    try {
      return await patiently(() => edit.settle(), { signal, firstPauseMs, onWait });
    } catch (error) {
      if (!(error instanceof TaskError)) throw error;
      return { kind: 'refused', code: error.code, reason: error.message };
    }
  }

  private async told(
    settled: PublicationOutcome | Shown,
  ): Promise<{ outcome: PublicationOutcome; difference: readonly ArtifactRef[] }> {
    if (settled.kind !== 'shown') return { outcome: settled, difference: [] };
    const difference = await this.artifacts.put('difference', 'text/x-diff', Buffer.from(settled.difference));
    return { outcome: { kind: 'dry_run', reason: settled.reason, difference }, difference: [difference] };
  }

  private async keepResult({ spec }: WorkContext<'publication'>): Promise<ArtifactRef> {
    const file = resultFile(spec.result, this.settings.namespace);
    return this.artifacts.put('result', file.mediaType, await buffer(file.open()));
  }
}
