import type { Usage } from '@assay/contracts';
import type { Observation, TrajectoryStep } from './trajectory-step';

export interface TrajectoryHead {
  readonly sessionId: string;
  readonly agent: { readonly name: string; readonly version: string };
  readonly model: string | null;
  readonly usage: Usage;
  /** Beside the format: limits reached, failures. */
  readonly extra: Record<string, unknown>;
}

/**
 * The trajectory as the Agent Trajectory Interchange Format has it (ATIF-v1.7, Harbor's rfcs/0001-trajectory-format): steps
 * numbered from 1, absent members left out, prompt tokens with the cached ones.
 */
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
  const { reasoning, metrics, toolCalls = [], observations = [] } = step;
  const failed = observations.flatMap(({ callId, failed }) => (failed === true && callId !== null ? [callId] : []));
  const extra = { ...step.extra, ...(failed.length === 0 ? {} : { failed_tool_calls: failed }) };
  return {
    step_id: id,
    timestamp: step.timestamp,
    source: step.source,
    message: step.message,
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
    ...(toolCalls.length === 0
      ? {}
      : {
          tool_calls: toolCalls.map((call) => ({
            tool_call_id: call.id,
            function_name: call.name,
            arguments: call.arguments,
          })),
        }),
    ...(observations.length === 0 ? {} : { observation: { results: observations.map(resultOf) } }),
    ...(metrics === undefined
      ? {}
      : {
          metrics: {
            prompt_tokens: metrics.promptTokens,
            completion_tokens: metrics.completionTokens,
            cached_tokens: metrics.cachedTokens,
          },
        }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

function resultOf({ callId, content }: Observation): Record<string, unknown> {
  return { ...(callId === null ? {} : { source_call_id: callId }), content };
}
