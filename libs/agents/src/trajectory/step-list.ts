import type { Observation, StepSink, TrajectoryStep } from './trajectory-step';

/** Characters of one observation that are kept; of a longer one the beginning and the end. */
const LONGEST = 200_000;

/** Steps in their order. An observation goes to the last step that called its tool. */
export class StepList implements StepSink {
  private readonly steps: { step: TrajectoryStep; observations: Observation[] }[] = [];
  /** Which step called a tool. */
  private readonly callers = new Map<string, number>();

  step(step: TrajectoryStep): void {
    for (const { id } of step.toolCalls ?? []) this.callers.set(id, this.steps.length);
    this.steps.push({ step, observations: (step.observations ?? []).map(bounded) });
  }

  /** Without a step that called it, it belongs to the last step; before the first step there is nothing to tell of. */
  observed(observation: Observation): void {
    const caller = observation.callId === null ? undefined : this.callers.get(observation.callId);
    const found = this.steps[caller ?? this.steps.length - 1];
    if (found === undefined) return;
    const known = caller !== undefined;
    found.observations.push(bounded(known ? observation : { ...observation, callId: null }));
  }

  all(): TrajectoryStep[] {
    return this.steps.map(({ step, observations }) => (observations.length === 0 ? step : { ...step, observations }));
  }
}

function bounded(observation: Observation): Observation {
  const { content } = observation;
  if (content.length <= LONGEST) return observation;
  const left = content.length - LONGEST;
  const half = LONGEST / 2;
  return {
    ...observation,
    content: `${content.slice(0, half)}\n[${left} characters left out]\n${content.slice(-half)}`,
  };
}
