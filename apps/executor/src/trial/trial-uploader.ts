import { readdir, stat } from 'node:fs/promises';
import { Inject, Injectable } from '@nestjs/common';
import {
  type AgentReport,
  type Redactor,
  redactorOf,
  trajectoryOf,
  type TrajectoryHead,
  type TrajectoryWriter,
} from '@assay/agents';
import type { ArtifactStore } from '@assay/artifacts';
import type { ArtifactRef } from '@assay/contracts';
import { BlamedError } from '@assay/failures';
import type { WorkContext } from '@assay/messaging';
import { packFolder } from '@assay/suites';
import { ARTIFACTS } from '../tokens';
import type { AgentLog } from './agent-log';
import type { PreparedTrial } from './trial-preparer';
import type { WeighedReport } from './weigh-report';

export interface UploadedTrial {
  readonly patch: ArtifactRef | null;
  readonly trajectory: ArtifactRef;
  readonly all: readonly ArtifactRef[];
}

/** A trial that has ended, with everything that was written meanwhile. */
export interface EndedTrial extends WeighedReport {
  readonly report: AgentReport | BlamedError;
  readonly log: AgentLog;
  readonly trajectory: TrajectoryWriter;
}

/**
 * Stores what a trial leaves: patch, trajectory, the agent's log and its own files, the exchanges with the model. All of it
 * before the result is sent. Secrets are redacted by value.
 */
@Injectable()
export class TrialUploader {
  constructor(@Inject(ARTIFACTS) private readonly artifacts: ArtifactStore) {}

  async upload(
    work: WorkContext<'trial'>,
    { model, ownLogsDir }: Pick<PreparedTrial, 'model' | 'ownLogsDir'>,
    ended: EndedTrial,
    patchBytes: Buffer | null,
  ): Promise<UploadedTrial> {
    const redactor = redactorOf(model.secrets);
    const document = `${JSON.stringify(documentOf(work, ended, redactor), null, 1)}\n`;
    const trajectory = await this.artifacts.put('trajectory', 'application/json', Buffer.from(document));
    const log = Buffer.from(redactor.text(ended.log.bytes().toString('latin1')), 'latin1');
    const agentLog = await this.artifacts.put('agent_log', 'text/plain', log);
    const patch = patchBytes === null ? null : await this.artifacts.put('patch', 'text/x-diff', patchBytes);
    const evidence = [...(await this.exchanges(model.recordFile)), ...(await this.ownLogs(ownLogsDir))];
    return { patch, trajectory, all: [trajectory, agentLog, ...(patch === null ? [] : [patch]), ...evidence] };
  }

  /** The gateway's record: the ground truth of the trajectory, never published. */
  private async exchanges(file: string | null): Promise<ArtifactRef[]> {
    if (file === null || (await stat(file)).size === 0) return [];
    return [await this.artifacts.put('model_exchanges', 'application/gzip', { file })];
  }

  private async ownLogs(dir: string): Promise<ArtifactRef[]> {
    if ((await readdir(dir)).length === 0) return [];
    return [await this.artifacts.put('agent_files', 'application/x-tar', await packFolder(dir))];
  }
}

/** A report has all steps; where there is none, those stand that were written as they happened. */
function documentOf(
  { attemptId, spec, traceparent }: WorkContext<'trial'>,
  { report, trajectory, crash, limit, usage, model }: EndedTrial,
  redactor: Redactor,
): Record<string, unknown> {
  const head: TrajectoryHead = {
    sessionId: attemptId,
    agent: { name: spec.agent.name, version: spec.agent.version },
    model: model.usesModel ? spec.model : null,
    usage,
    extra: { limit, failure: crash?.toFailure() ?? null, traceparent },
  };
  if (report instanceof BlamedError) return trajectory.document(head);
  return redactor.deep(trajectoryOf(head, report.steps));
}
