import { trajectoryOf, type TrajectoryHead, type TrajectoryStep } from './trajectory';

const head: TrajectoryHead = {
  sessionId: 'attempt-1',
  agent: { name: 'mini', version: '1.0.0' },
  model: 'model-1',
  usage: { calls: 2, promptTokens: 30, completionTokens: 4, cachedTokens: 5, costUsd: 0.5, estimated: true },
  extra: { limit: 'turns' },
};
const at = '2026-01-01T00:00:00.000Z';
const steps: TrajectoryStep[] = [
  { timestamp: at, source: 'user', message: 'mend it' },
  {
    timestamp: at,
    source: 'agent',
    message: 'I look',
    toolCall: { id: 'call-1', name: 'bash', arguments: { command: 'ls' } },
    observation: 'a.txt\n',
    metrics: { promptTokens: 30, completionTokens: 4, cachedTokens: 5 },
  },
  { timestamp: at, source: 'agent', message: 'hm', observation: 'no command' },
];

test('a trajectory is ATIF-v1.7: steps numbered from 1, calls and what they gave tied by their id, totals at the end', () => {
  expect(trajectoryOf(head, steps)).toEqual({
    schema_version: 'ATIF-v1.7',
    session_id: 'attempt-1',
    agent: { name: 'mini', version: '1.0.0', model_name: 'model-1' },
    steps: [
      { step_id: 1, timestamp: at, source: 'user', message: 'mend it' },
      {
        step_id: 2,
        timestamp: at,
        source: 'agent',
        message: 'I look',
        tool_calls: [{ tool_call_id: 'call-1', function_name: 'bash', arguments: { command: 'ls' } }],
        observation: { results: [{ source_call_id: 'call-1', content: 'a.txt\n' }] },
        metrics: { prompt_tokens: 30, completion_tokens: 4, cached_tokens: 5 },
      },
      {
        step_id: 3,
        timestamp: at,
        source: 'agent',
        message: 'hm',
        observation: { results: [{ content: 'no command' }] },
      },
    ],
    final_metrics: {
      total_prompt_tokens: 30,
      total_completion_tokens: 4,
      total_cached_tokens: 5,
      total_cost_usd: 0.5,
      total_steps: 3,
      extra: { calls: 2, estimated: true },
    },
    extra: { limit: 'turns' },
  });
});

test('what is not known is left out, never null', () => {
  const text = JSON.stringify(trajectoryOf({ ...head, model: null, usage: { ...head.usage, costUsd: null } }, []));
  expect(text).not.toMatch(/null|model_name|total_cost_usd/);
  expect(JSON.parse(text)).toMatchObject({ steps: [], final_metrics: { total_steps: 0 } });
});
