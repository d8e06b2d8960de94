import type { Usage } from '@assay/contracts';

/** One step of the Agent Trajectory Interchange Format (ATIF-v1.7, Harbor's rfcs/0001-trajectory-format). */
export interface TrajectoryStep {
  readonly timestamp: string;
  readonly source: 'system' | 'user' | 'agent';
  readonly message: string;
  readonly toolCall?: { readonly id: string; readonly name: string; readonly arguments: Record<string, unknown> };
  readonly observation?: string;
  readonly metrics?: {
    readonly promptTokens: number;
    readonly completionTokens: number;
    readonly cachedTokens: number;
  };
}

export interface TrajectoryHead {
  readonly sessionId: string;
  readonly agent: { readonly name: string; readonly version: string };
  readonly model: string | null;
  readonly usage: Usage;
  /** Beside the format: limits reached, failures. */
  readonly extra: Record<string, unknown>;
}

/** The trajectory as ATIF-v1.7: steps numbered from 1, absent members left out. */
export function trajectoryOf(head: TrajectoryHead, steps: readonly TrajectoryStep[]): Record<string, unknown> {
  const { usage } = head;
  return {
    schema_version: 'ATIF-v1.7',
    session_id: head.sessionId,
    agent: { ...head.agent, ...(head.model === null ? {} : { model_name: head.model }) },
    steps: steps.map((step, index) => stepOf(step, index + 1)),
    final_metrics: {
      total_prompt_tokens: usage.promptTokens,
      total_completion_tokens: usage.completionTokens,
      total_cached_tokens: usage.cachedTokens,
      ...(usage.costUsd === null ? {} : { total_cost_usd: usage.costUsd }),
      total_steps: steps.length,
      extra: { calls: usage.calls, estimated: usage.estimated },
    },
    extra: head.extra,
  };
}

function stepOf(step: TrajectoryStep, id: number): Record<string, unknown> {
  const { toolCall, observation, metrics } = step;
  return {
    step_id: id,
    timestamp: step.timestamp,
    source: step.source,
    message: step.message,
    ...(toolCall === undefined
      ? {}
      : { tool_calls: [{ tool_call_id: toolCall.id, function_name: toolCall.name, arguments: toolCall.arguments }] }),
    ...(observation === undefined
      ? {}
      : {
          observation: {
            results: [{ ...(toolCall === undefined ? {} : { source_call_id: toolCall.id }), content: observation }],
          },
        }),
    ...(metrics === undefined
      ? {}
      : {
          metrics: {
            prompt_tokens: metrics.promptTokens,
            completion_tokens: metrics.completionTokens,
            cached_tokens: metrics.cachedTokens,
          },
        }),
  };
}
