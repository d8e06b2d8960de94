import { Inject, Injectable } from '@nestjs/common';
import { trajectoryOf, type AgentReport } from '@assay/agents';
import type { ArtifactStore } from '@assay/artifacts';
import type { ArtifactRef } from '@assay/contracts';
import type { WorkContext } from '@assay/messaging';
import { ARTIFACTS } from '../tokens';
import type { AgentLog } from './agent-log';

export interface UploadedTrial {
  readonly patch: ArtifactRef | null;
  readonly trajectory: ArtifactRef;
  readonly all: readonly ArtifactRef[];
}

/** Stores what a trial leaves: patch, trajectory, the agent's log. All of it before the result is sent. */
@Injectable()
export class TrialUploader {
  constructor(@Inject(ARTIFACTS) private readonly artifacts: ArtifactStore) {}

  async upload(
    { attemptId, spec, traceparent }: WorkContext<'trial'>,
    report: AgentReport,
    log: AgentLog,
    patchBytes: Buffer | null,
  ): Promise<UploadedTrial> {
    const head = {
      sessionId: attemptId,
      agent: { name: spec.agent.name, version: spec.agent.version },
      model: report.model.usesModel ? spec.model : null,
      usage: report.usage,
      extra: { limit: report.limit, failure: report.crash?.toFailure() ?? null, traceparent },
    };
    const document = `${JSON.stringify(trajectoryOf(head, report.steps), null, 1)}\n`;
    const trajectory = await this.artifacts.put('trajectory', 'application/json', Buffer.from(document));
    const agentLog = await this.artifacts.put('agent_log', 'text/plain', log.bytes());
    const patch = patchBytes === null ? null : await this.artifacts.put('patch', 'text/x-diff', patchBytes);
    return { patch, trajectory, all: [trajectory, agentLog, ...(patch === null ? [] : [patch])] };
  }
}
