import { z } from 'zod';

const extra = z.record(z.string(), z.unknown()).optional();
const tokens = z.int().nonnegative();
const text = z.string();

const Content = z.union([
  text,
  z.array(
    z.discriminatedUnion('type', [
      z.strictObject({ type: z.literal('text'), text }),
      z.strictObject({ type: z.literal('image'), source: z.strictObject({ media_type: text, path: text }) }),
    ]),
  ),
]);

const Step = z.strictObject({
  step_id: z.int().positive(),
  timestamp: z.iso.datetime({ offset: true }).optional(),
  source: z.enum(['system', 'user', 'agent']),
  model_name: text.optional(),
  reasoning_effort: z.union([text, z.number()]).optional(),
  message: Content,
  reasoning_content: text.optional(),
  tool_calls: z
    .array(
      z.strictObject({
        tool_call_id: text.min(1),
        function_name: text.min(1),
        arguments: z.record(z.string(), z.unknown()),
        extra,
      }),
    )
    .min(1)
    .optional(),
  observation: z
    .strictObject({
      results: z.array(z.strictObject({ source_call_id: text.optional(), content: Content.optional() })),
    })
    .optional(),
  metrics: z
    .strictObject({
      prompt_tokens: tokens.optional(),
      completion_tokens: tokens.optional(),
      cached_tokens: tokens.optional(),
      cost_usd: z.number().nonnegative().optional(),
      extra,
    })
    .optional(),
  llm_call_count: tokens.optional(),
  is_copied_context: z.boolean().optional(),
  extra,
});

/**
 * ATIF-v1.7 as far as this project writes it, strictly: what Harbor's own models would refuse is refused, and what ties
 * steps together must hold (numbers from 1 without a gap, results of calls of their own step, cached tokens among the
 * prompt's).
 */
export const Atif = z
  .strictObject({
    schema_version: z.literal('ATIF-v1.7'),
    session_id: text.min(1),
    trajectory_id: text.optional(),
    agent: z.strictObject({ name: text.min(1), version: text.min(1), model_name: text.optional(), extra }),
    steps: z.array(Step),
    notes: text.optional(),
    final_metrics: z
      .strictObject({
        total_prompt_tokens: tokens.optional(),
        total_completion_tokens: tokens.optional(),
        total_cached_tokens: tokens.optional(),
        total_cost_usd: z.number().nonnegative().optional(),
        total_steps: tokens.optional(),
        extra,
      })
      .optional(),
    extra,
  })
  .superRefine(({ steps, final_metrics: final }, context) => {
    const wrong = (message: string, ...path: (string | number)[]): void => {
      context.addIssue({ code: 'custom', message, path });
    };
    steps.forEach((step, at) => {
      if (step.step_id !== at + 1) wrong(`expected step_id ${at + 1}`, 'steps', at, 'step_id');
      const calls = new Set((step.tool_calls ?? []).map((call) => call.tool_call_id));
      for (const { source_call_id: id } of step.observation?.results ?? []) {
        if (id !== undefined && !calls.has(id)) wrong(`no call ${id} in this step`, 'steps', at, 'observation');
      }
      const { prompt_tokens: prompt = 0, cached_tokens: cached = 0 } = step.metrics ?? {};
      if (cached > prompt) wrong('more cached than prompt tokens', 'steps', at, 'metrics');
      if (step.source !== 'agent' && (step.tool_calls ?? step.metrics) !== undefined) {
        wrong('only the agent calls tools and spends tokens', 'steps', at);
      }
    });
    const counted = final?.total_steps;
    if (counted !== undefined && counted !== steps.length)
      wrong('total_steps is not the number of steps', 'final_metrics');
  });
