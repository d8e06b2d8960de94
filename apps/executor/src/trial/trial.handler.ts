import { join } from 'node:path';
import { Controller, Inject } from '@nestjs/common';
import { TrajectoryWriter } from '@assay/agents';
import { WorkHandler, type WorkContext, type WorkResult } from '@assay/messaging';
import { LOGGER } from '@assay/service-kit';
import type { Logger } from 'pino';
import { runAgent, type AgentSession } from './agent-session';
import { TrialPreparer, type PreparedTrial } from './trial-preparer';
import { TrialUploader } from './trial-uploader';
import { weighEnd } from './weigh-report';

/** One trial: prepare, run the agent, take its patch, store everything. */
@Controller()
export class TrialHandler {
  constructor(
    private readonly preparer: TrialPreparer,
    private readonly uploader: TrialUploader,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @WorkHandler('trial')
  async handle(work: WorkContext<'trial'>): Promise<WorkResult<'trial'>> {
    const started = Date.now();
    work.phase('PREPARING');
    const trial = await this.preparer.prepare(work);
    if (trial.model.usage !== null) work.spending(trial.model.usage);
    try {
      return await this.run(work, trial, Date.now() - started);
    } finally {
      await this.cleanUp(work, trial);
    }
  }

  private async run(work: WorkContext<'trial'>, trial: PreparedTrial, prepareMs: number): Promise<WorkResult<'trial'>> {
    work.phase('RUNNING_AGENT');
    const agentStart = Date.now();
    const trajectory = new TrajectoryWriter(join(trial.dir, 'steps.jsonl'), trial.model.secrets);
    const session = await this.session(work, trial, trajectory);
    const agentMs = Date.now() - agentStart;
    const { crash, limit, usage, model } = weighEnd(session.report, await trial.model.close(), {
      callsAre: trial.model.callsAre,
      runBudget: work.runBudget.reached(),
    });
    const extractStart = Date.now();
    const patch = crash === null ? await trial.workspace.patch(trial.sandbox) : null;
    const extractMs = Date.now() - extractStart;
    work.phase('UPLOADING');
    const ended = { ...session, crash, limit, usage, model, trajectory };
    const stored = await this.uploader.upload(work, trial, ended, patch);
    const { imageId } = trial.image;
    if (crash !== null) {
      return { outcome: { kind: 'failed', failure: crash.toFailure(), usage, imageId }, artifacts: stored.all };
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

  /** The agent's run, and then nothing of it runs any more: it must not change the workspace while that is read. */
  private async session(
    work: WorkContext<'trial'>,
    trial: PreparedTrial,
    trajectory: TrajectoryWriter,
  ): Promise<AgentSession> {
    try {
      return await runAgent(trial, work, { steps: trajectory, ownLogsDir: trial.ownLogsDir });
    } finally {
      trajectory.close();
      await trial.sandbox.kill();
    }
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
