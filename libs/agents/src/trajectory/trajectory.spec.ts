import { Atif } from './atif.schema';
import { StepList } from './step-list';
import { trajectoryOf, type TrajectoryHead } from './trajectory';
import type { TrajectoryStep } from './trajectory-step';

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
    reasoning: 'where is it?',
    toolCalls: [
      { id: 'call-1', name: 'bash', arguments: { command: 'ls' } },
      { id: 'call-2', name: 'bash', arguments: { command: 'false' } },
    ],
    observations: [
      { callId: 'call-1', content: 'a.txt\n' },
      { callId: 'call-2', content: '', failed: true },
    ],
    metrics: { promptTokens: 30, completionTokens: 4, cachedTokens: 5 },
  },
  { timestamp: at, source: 'agent', message: 'hm', observations: [{ callId: null, content: 'no command' }] },
];

test('a trajectory is ATIF-v1.7: steps numbered from 1, calls and what they gave tied by their ids, totals at the end', () => {
  const document = trajectoryOf(head, steps);
  expect(Atif.parse(document)).toEqual(document);
  expect(document).toEqual({
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
        reasoning_content: 'where is it?',
        tool_calls: [
          { tool_call_id: 'call-1', function_name: 'bash', arguments: { command: 'ls' } },
          { tool_call_id: 'call-2', function_name: 'bash', arguments: { command: 'false' } },
        ],
        observation: {
          results: [
            { source_call_id: 'call-1', content: 'a.txt\n' },
            { source_call_id: 'call-2', content: '' },
          ],
        },
        metrics: { prompt_tokens: 30, completion_tokens: 4, cached_tokens: 5 },
        extra: { failed_tool_calls: ['call-2'] },
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
  expect(Atif.parse(JSON.parse(text))).toMatchObject({ steps: [], final_metrics: { total_steps: 0 } });
});

describe('the schema of the format refuses', () => {
  const agentStep = { step_id: 1, source: 'agent', message: 'x' };
  test.each([
    ['another version', { schema_version: 'ATIF-v1.6' }, 'schema_version'],
    ['a gap in the numbers', { steps: [{ ...agentStep, step_id: 2 }] }, 'expected step_id 1'],
    ['a member that the format has not', { steps: [{ ...agentStep, toolCalls: [] }] }, 'toolCalls'],
    [
      'a result of a call of another step',
      { steps: [{ ...agentStep, observation: { results: [{ source_call_id: 'c', content: '' }] } }] },
      'no call c',
    ],
    [
      'more cached tokens than there are',
      { steps: [{ ...agentStep, metrics: { prompt_tokens: 1, cached_tokens: 2 } }] },
      'more cached',
    ],
    ['tokens that a user spent', { steps: [{ ...agentStep, source: 'user', metrics: {} }] }, 'only the agent'],
    ['a count of steps that is wrong', { steps: [agentStep], final_metrics: { total_steps: 3 } }, 'total_steps'],
  ])('%s', (_name, change, message) => {
    const whole = { schema_version: 'ATIF-v1.7', session_id: 's', agent: { name: 'a', version: '1' }, steps: [] };
    const { success, error } = Atif.safeParse({ ...whole, ...change });
    expect(success).toBe(false);
    expect(error?.message).toContain(message);
  });
});

describe('a list of steps', () => {
  const call = (id: string): TrajectoryStep => ({
    timestamp: at,
    source: 'agent',
    message: '',
    toolCalls: [{ id, name: 'bash', arguments: {} }],
  });

  test('takes what a call gave later, after other steps too', () => {
    const list = new StepList();
    list.step(call('a'));
    list.step(call('b'));
    list.observed({ callId: 'b', content: 'of b' });
    list.observed({ callId: 'a', content: 'of a' });
    expect(list.all().map(({ observations }) => observations)).toEqual([
      [{ callId: 'a', content: 'of a' }],
      [{ callId: 'b', content: 'of b' }],
    ]);
  });

  test('ties what nobody called to the last step, so that the document stays valid', () => {
    const list = new StepList();
    list.observed({ callId: 'x', content: 'too early' });
    list.step(call('a'));
    list.observed({ callId: 'x', content: 'whose?' });
    expect(list.all()[0]?.observations).toEqual([{ callId: null, content: 'whose?' }]);
    expect(Atif.safeParse(trajectoryOf(head, list.all())).success).toBe(true);
  });

  test('keeps the beginning and the end of what is too long', () => {
    const list = new StepList();
    list.step(call('a'));
    list.observed({ callId: 'a', content: `first${'x'.repeat(1_000_000)}last` });
    const [kept] = list.all()[0]?.observations ?? [];
    expect(kept?.content).toMatch(/^firstx+\n\[800009 characters left out\]\nx+last$/);
    expect(kept?.content.length).toBeLessThan(200_100);
  });
});
