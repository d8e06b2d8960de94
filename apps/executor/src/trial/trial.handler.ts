import { Controller, Inject } from '@nestjs/common';
import type { ModelEndpoint } from '@assay/agents';
import { WorkHandler, type WorkContext, type WorkResult } from '@assay/messaging';
import { LOGGER } from '@assay/service-kit';
import type { Logger } from 'pino';
import { ENDPOINT } from '../tokens';
import { runAgent } from './agent-session';
import { TrialPreparer, type PreparedTrial } from './trial-preparer';
import { TrialUploader } from './trial-uploader';

/** One trial: prepare, run the agent, take its patch, store everything. */
@Controller()
export class TrialHandler {
  constructor(
    private readonly preparer: TrialPreparer,
    private readonly uploader: TrialUploader,
    @Inject(ENDPOINT) private readonly endpoint: ModelEndpoint | null,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @WorkHandler('trial')
  async handle(work: WorkContext<'trial'>): Promise<WorkResult<'trial'>> {
    const started = Date.now();
    work.phase('PREPARING');
    const trial = await this.preparer.prepare(work);
    try {
      return await this.run(work, trial, Date.now() - started);
    } finally {
      await this.cleanUp(work, trial);
    }
  }

  private async run(work: WorkContext<'trial'>, trial: PreparedTrial, prepareMs: number): Promise<WorkResult<'trial'>> {
    work.phase('RUNNING_AGENT');
    const agentStart = Date.now();
    const { report, log } = await runAgent(trial, work, this.endpoint);
    const agentMs = Date.now() - agentStart;
    // Whatever the agent left running must not change the workspace while it is read.
    await trial.sandbox.kill();
    const { crash, limit, usage, model } = report;
    const extractStart = Date.now();
    const patch = crash === null ? await trial.workspace.patch(trial.sandbox) : null;
    const extractMs = Date.now() - extractStart;
    work.phase('UPLOADING');
    const stored = await this.uploader.upload(work, report, log, patch);
    const { imageId } = trial.image;
    if (crash !== null) {
      const outcome = { kind: 'failed', failure: crash.toFailure(), usage, imageId } as const;
      return { outcome, artifacts: stored.all };
    }
    return {
      outcome: {
        kind: 'completed',
        patch: stored.patch,
        trajectory: stored.trajectory,
        limit,
        usage,
        model,
        imageId,
        timings: { prepareMs, agentMs, extractMs },
      },
      artifacts: stored.all,
    };
  }

  /** What cannot be removed now is reaped later; the result stands. */
  private async cleanUp({ key }: WorkContext<'trial'>, trial: PreparedTrial): Promise<void> {
    try {
      await trial.cleanUp();
    } catch (error) {
      this.logger.warn({ ...key, err: error }, 'A sandbox could not be removed; the reaper will');
    }
  }
}
