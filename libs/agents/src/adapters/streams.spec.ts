import type { CliAdapter, CliEnd } from '../cli/cli-adapter';
import { StreamRecord } from '../cli/stream-record';
import { Atif } from '../trajectory/atif.schema';
import { trajectoryOf } from '../trajectory/trajectory';
import { claudeCode } from './claude-code/claude-code.agent';
import { codex } from './codex/codex.agent';
import { geminiCli } from './gemini-cli/gemini-cli.agent';
import { readMiniSweTrajectory } from './mini-swe-agent/mini-swe-agent.trajectory';
import { miniSweAgent } from './mini-swe-agent/mini-swe-agent.agent';
import { opencode } from './opencode/opencode.agent';
import { qwenCode } from './qwen-code/qwen-code.agent';

// Events as the programs really print them, cut to what is read of them.

type Event = Record<string, unknown>;

function play(adapter: CliAdapter, events: readonly (Event | string)[]): StreamRecord {
  const record = new StreamRecord(undefined);
  const read = adapter.reader(record);
  for (const event of events) read(typeof event === 'string' ? event : JSON.stringify(event));
  const head = { sessionId: 's', agent: { name: 'a', version: '1' }, model: 'm', usage: record.usage(), extra: {} };
  Atif.parse(trajectoryOf(head, record.steps()));
  return record;
}

const end = (adapter: CliAdapter, exitCode: number, record: StreamRecord, tail = ''): CliEnd =>
  adapter.ended({ exitCode, record, tail });

const init = { type: 'system', subtype: 'init', qwen_code_version: '0.24.4', claude_code_version: '2.1.332' };
const use = (id: string, name = 'Bash') => ({ type: 'tool_use', id, name, input: { command: 'ls' } });
const result = (id: string, content: unknown = 'out', parent: string | null = null) => ({
  type: 'user',
  parent_tool_use_id: parent,
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, is_error: false, content }] },
});

describe('qwen-code', () => {
  const usage = { input_tokens: 900, output_tokens: 40, cache_read_input_tokens: 100, total_tokens: 940 };
  const none = { input_tokens: 0, output_tokens: 0 };
  const assistant = (content: Event[], told: Event, parent: string | null = null) => ({
    type: 'assistant',
    parent_tool_use_id: parent,
    message: { role: 'assistant', content, stop_reason: null, usage: told },
  });

  test('text and tool calls of one reply are one step, whose tokens are counted once', () => {
    const record = play(qwenCode, [
      init,
      { type: 'stream_event', event: { type: 'goal_state' } },
      assistant([{ type: 'thinking', thinking: 'hm' }], none),
      assistant([{ type: 'text', text: 'I look.' }], none),
      assistant([use('c1'), use('c2')], usage),
      result('c1', [{ type: 'text', text: 'one' }]),
      result('c2'),
      'Ripgrep not available',
      assistant([{ type: 'text', text: 'Done.' }], usage),
      { type: 'result', subtype: 'success', is_error: false, result: 'Done.' },
    ]);
    expect(record.version).toBe('0.24.4');
    expect(record.usage()).toMatchObject({ calls: 2, promptTokens: 1800, completionTokens: 80, cachedTokens: 200 });
    expect(record.steps()).toMatchObject([
      {
        message: 'I look.',
        reasoning: 'hm',
        toolCalls: [{ id: 'c1' }, { id: 'c2' }],
        observations: [{ callId: 'c1', content: 'one' }, { callId: 'c2' }],
        metrics: { promptTokens: 900 },
      },
      { message: 'Done.' },
    ]);
    expect([record.finished, end(qwenCode, 0, record)]).toEqual([true, { kind: 'done' }]);
  });

  test('a provider that reports no tokens has replies all the same, marked as estimated', () => {
    const record = play(qwenCode, [
      init,
      assistant([{ type: 'text', text: 'I look.' }], none),
      assistant([use('c1')], none),
      result('c1'),
      assistant([{ type: 'text', text: 'Done.' }], none),
      { type: 'result', subtype: 'success', is_error: false },
    ]);
    expect(record.usage()).toMatchObject({ calls: 2, promptTokens: 0, estimated: true });
    expect(record.steps().map(({ message }) => message)).toEqual(['I look.', 'Done.']);
  });

  test('a sub-agent works between call and result, and its steps say whose they are', () => {
    const record = play(qwenCode, [
      init,
      assistant([use('outer', 'agent')], usage),
      assistant([{ type: 'text', text: 'inner' }], none, 'outer'),
      assistant([use('inner')], usage, 'outer'),
      result('inner', 'of inner', 'outer'),
      result('outer', 'of outer'),
    ]);
    expect(record.steps()).toMatchObject([
      { toolCalls: [{ id: 'outer' }], observations: [{ content: 'of outer' }] },
      { message: 'inner', observations: [{ content: 'of inner' }], extra: { parent_tool_call_id: 'outer' } },
    ]);
  });

  test('the words of an error are no completed reply', () => {
    const record = play(qwenCode, [
      init,
      assistant([{ type: 'text', text: '[API Error: 429 slow down]' }], none),
      {
        type: 'result',
        subtype: 'error_during_execution',
        is_error: true,
        error: { message: '[API Error: 429 slow down]' },
      },
    ]);
    expect(record.evidence()).toEqual({ usesModel: true, completedExchanges: 0, lastFailedUpstream: true });
    expect(end(qwenCode, 1, record)).toMatchObject({ kind: 'crash', error: { code: 'model_unavailable' } });
  });

  test.each([
    [53, 'limit', 'turns'],
    [55, 'limit', 'time'],
    [42, 'crash', 'agent_misconfigured'],
    [44, 'crash', 'agent_misconfigured'],
    [52, 'crash', 'agent_misconfigured'],
    [130, 'crash', 'agent_crashed'],
    [1, 'crash', 'agent_crashed'],
  ])('exit %d after it had begun is %s %s', (code, kind, what) => {
    const told = end(qwenCode, code, play(qwenCode, [init]), 'TypeError: x');
    expect(told).toMatchObject(kind === 'limit' ? { kind, limit: what } : { kind, error: { code: what } });
  });

  test('a flag or a key that it refuses before it begins is our fault', () => {
    for (const tail of ['Unknown arguments: max-wall-time', 'Missing API key for OpenAI-compatible auth']) {
      expect(end(qwenCode, 1, play(qwenCode, []), tail)).toMatchObject({ error: { code: 'agent_misconfigured' } });
    }
  });
});

describe('claude-code', () => {
  const block = (id: string, content: Event, model = 'm1') => ({
    type: 'assistant',
    message: { id, model, content: [content], usage: { input_tokens: 800, output_tokens: 0 } },
    parent_tool_use_id: null,
  });

  test('blocks of one id are one step; tokens are those of the last event, the cached ones among them', () => {
    const record = play(claudeCode, [
      init,
      block('m1', { type: 'text', text: 'I look.' }),
      block('m1', use('t1')),
      result('t1'),
      block('m2', { type: 'text', text: 'Done.' }),
      {
        type: 'result',
        subtype: 'success',
        is_error: false,
        usage: {
          input_tokens: 1600,
          cache_read_input_tokens: 400,
          cache_creation_input_tokens: 30,
          output_tokens: 100,
        },
      },
    ]);
    expect(record.version).toBe('2.1.332');
    expect(record.steps()).toMatchObject([{ message: 'I look.', toolCalls: [{ id: 't1' }] }, { message: 'Done.' }]);
    expect(record.usage()).toMatchObject({
      calls: 2,
      promptTokens: 2030,
      completionTokens: 100,
      cachedTokens: 400,
      estimated: false,
    });
  });

  test('before its last event its tokens are unknown, and marked so', () => {
    const record = play(claudeCode, [init, block('m1', { type: 'text', text: 'I look.' }), block('m2', use('t1'))]);
    expect(record.usage()).toMatchObject({ calls: 1, promptTokens: 0, estimated: true });
  });

  test('a model that refused, and the limit of turns, stand in its last event', () => {
    const refused = play(claudeCode, [
      init,
      { type: 'system', subtype: 'api_retry', attempt: 1, error_status: 401, error: 'authentication_failed' },
      block('x', { type: 'text', text: 'Failed to authenticate.' }, '<synthetic>'),
      { type: 'result', subtype: 'success', is_error: true, api_error_status: 401, result: 'API Error: 401 no' },
    ]);
    expect(refused.evidence()).toMatchObject({ completedExchanges: 0, lastFailedUpstream: true });
    expect(end(claudeCode, 1, refused)).toMatchObject({ error: { code: 'model_refused' } });
    const turns = play(claudeCode, [init, { type: 'result', subtype: 'error_max_turns', is_error: true }]);
    expect(end(claudeCode, 1, turns)).toEqual({ kind: 'limit', limit: 'turns' });
  });
});

describe('codex', () => {
  const done = (item: Event) => ({ type: 'item.completed', item });
  const usage = { input_tokens: 3000, cached_input_tokens: 600, output_tokens: 150 };

  test('ended items are steps, and tokens are the sum at the end', () => {
    const record = play(codex, [
      { type: 'thread.started', thread_id: 'x' },
      done({ id: 'i0', type: 'error', message: 'Model metadata not found' }),
      done({ id: 'i1', type: 'agent_message', text: 'I look.' }),
      { type: 'item.started', item: { id: 'i2', type: 'command_execution', command: 'ls' } },
      done({ id: 'i2', type: 'command_execution', command: 'ls', aggregated_output: 'a.txt\n', exit_code: 2 }),
      done({ id: 'i3', type: 'file_change', changes: [{ path: 'a.txt', kind: 'update' }], status: 'completed' }),
      { type: 'turn.completed', usage },
    ]);
    expect(record.steps()).toMatchObject([
      { message: 'I look.' },
      {
        toolCalls: [{ id: 'i2', name: 'command_execution', arguments: { command: 'ls' } }],
        observations: [{ callId: 'i2', content: 'a.txt\n', failed: true }],
      },
      { toolCalls: [{ name: 'file_change', arguments: { changes: [{ path: 'a.txt' }] } }] },
    ]);
    expect(record.usage()).toMatchObject({ promptTokens: 3000, completionTokens: 150, cachedTokens: 600 });
  });

  test.each([
    ['unexpected status 401 Unauthorized: no', 'model_refused'],
    ['We’re currently experiencing high demand, which may cause temporary errors.', 'model_unavailable'],
    ['something else', 'agent_crashed'],
  ])('a turn that failed: %s', (message, code) => {
    const record = play(codex, [{ type: 'turn.failed', error: { message } }]);
    expect(end(codex, 1, record)).toMatchObject({ error: { code } });
  });
});

describe('gemini-cli', () => {
  const text = (content: string) => ({ type: 'message', role: 'assistant', content, delta: true });

  test('pieces and calls up to the first result are one reply', () => {
    const record = play(geminiCli, [
      { type: 'init', model: 'm1' },
      { type: 'message', role: 'user', content: 'prompt' },
      text('I '),
      text('look.'),
      { type: 'tool_use', tool_name: 'run_shell_command', tool_id: 't1', parameters: { command: 'ls' } },
      { type: 'tool_result', tool_id: 't1', status: 'error', error: { message: 'no' } },
      text('Done.'),
      { type: 'result', status: 'success', stats: { input_tokens: 3000, output_tokens: 150, cached: 600 } },
    ]);
    expect(record.steps()).toMatchObject([
      { message: 'I look.', toolCalls: [{ id: 't1' }], observations: [{ content: 'no', failed: true }] },
      { message: 'Done.' },
    ]);
    expect(record.usage()).toMatchObject({ calls: 2, promptTokens: 3000, completionTokens: 150, cachedTokens: 600 });
  });

  test('half a reply is none', () => {
    const failed = { type: 'result', status: 'error', error: { type: 'unknown', message: '[API Error: terminated]' } };
    const record = play(geminiCli, [text('This is ha'), failed]);
    expect(record.evidence()).toMatchObject({ completedExchanges: 0, lastFailedUpstream: true });
    expect(end(geminiCli, 1, record)).toMatchObject({ error: { code: 'model_unavailable' } });
  });

  test.each([
    [53, { kind: 'limit', limit: 'turns' }],
    [41, { error: { code: 'agent_misconfigured' } }],
  ])('exit %d', (code, expected) => {
    expect(end(geminiCli, code, play(geminiCli, []))).toMatchObject(expected);
  });
});

describe('opencode', () => {
  const step = (reason: string) => ({
    type: 'step_finish',
    part: { reason, tokens: { input: 800, output: 50, reasoning: 5, cache: { read: 200, write: 0 } } },
  });

  test('what lies between the beginning and the end of a step is one reply', () => {
    const record = play(opencode, [
      { type: 'step_start', part: {} },
      { type: 'text', part: { text: 'I look.' } },
      {
        type: 'tool_use',
        part: { tool: 'bash', callID: 'c1', state: { status: 'completed', input: {}, output: 'x' } },
      },
      { type: 'tool_use', part: { tool: 'read', callID: 'c2', state: { status: 'error', input: {}, error: 'no' } } },
      step('tool-calls'),
      { type: 'step_start', part: {} },
      { type: 'text', part: { text: 'Done.' } },
      step('stop'),
    ]);
    expect(record.steps()).toMatchObject([
      { message: 'I look.', observations: [{ content: 'x' }, { content: 'no', failed: true }] },
      { message: 'Done.', metrics: { promptTokens: 1000, completionTokens: 55, cachedTokens: 200 } },
    ]);
    expect(record.usage()).toMatchObject({ calls: 2, promptTokens: 2000, completionTokens: 110, cachedTokens: 400 });
    expect(record.finished).toBe(true);
  });

  test('an error is one whatever its exit code says', () => {
    const error = { name: 'APIError', data: { message: 'scripted 429', statusCode: 429 } };
    const record = play(opencode, [{ type: 'error', error }]);
    expect(end(opencode, 0, record)).toMatchObject({ error: { code: 'model_unavailable' } });
  });
});

describe('mini-swe-agent', () => {
  const head = [
    { role: 'system', content: 'You are' },
    { role: 'user', content: 'Please solve' },
  ];
  const call = { id: 'c1', type: 'function', function: { name: 'bash', arguments: '{"command":"ls"}' } };
  const usage = { prompt_tokens: 1000, completion_tokens: 50, prompt_tokens_details: { cached_tokens: 200 } };
  const reply = { role: 'assistant', content: 'I look.', tool_calls: [call], extra: { response: { usage } } };
  const seen = { role: 'tool', tool_call_id: 'c1', content: '{"returncode": 2}', extra: { returncode: 2 } };

  function read(messages: Event[], status: string): StreamRecord {
    const record = new StreamRecord(undefined);
    readMiniSweTrajectory(
      JSON.stringify({ info: { exit_status: status }, messages: [...head, ...messages] }, null, 1),
      record,
    );
    return record;
  }
  const exit = (status: string, content = '') => ({ role: 'exit', content, extra: { exit_status: status } });

  test('its file holds the steps, their tokens, and what the commands gave', () => {
    const record = read([reply, seen, exit('Submitted')], 'Submitted');
    expect(record.steps()).toMatchObject([
      {
        message: 'I look.',
        toolCalls: [{ id: 'c1', name: 'bash', arguments: { command: 'ls' } }],
        observations: [{ callId: 'c1', failed: true }],
        metrics: { promptTokens: 1000, completionTokens: 50, cachedTokens: 200 },
      },
    ]);
    expect([record.finished, end(miniSweAgent, 0, record)]).toEqual([true, { kind: 'done' }]);
  });

  test.each([
    ['LimitsExceeded', '', 0, { kind: 'limit', limit: 'turns' }],
    ['TimeExceeded', '', 0, { kind: 'limit', limit: 'time' }],
    ['AuthenticationError', 'litellm.AuthenticationError: no', 1, { error: { code: 'model_refused' } }],
    ['RateLimitError', 'slow down', 1, { error: { code: 'model_unavailable' } }],
    ['KeyError', "'x'", 1, { error: { code: 'agent_crashed' } }],
  ])('it ended by %s', (status, content, code, expected) => {
    expect(end(miniSweAgent, code, read([exit(status, content)], status))).toMatchObject(expected);
  });

  test.each(['', 'no JSON', '[]'])('a file that holds none tells nothing: %j', (text) => {
    const record = new StreamRecord(undefined);
    readMiniSweTrajectory(text, record);
    expect(record.steps()).toEqual([]);
  });
});

test.each([qwenCode, claudeCode, codex, geminiCli, opencode].map((one) => [one.name, one] as const))(
  '%s: whatever its output, reading it neither throws nor makes an invalid document',
  (_name, adapter) => {
    const types = [
      'system',
      'assistant',
      'user',
      'result',
      'item.completed',
      'tool_use',
      'step_finish',
      'error',
      'message',
    ];
    const odd = [null, 1, [], {}, [null], 'x', { message: null }, { content: [1, null] }, { id: 5 }];
    const lines = types.flatMap((type) =>
      odd.map((value) => ({
        type,
        message: value,
        item: value,
        part: value,
        error: value,
        usage: value,
        subtype: value,
      })),
    );
    expect(() => play(adapter, ['', '{', 'null', '[1]', '{"type":5}', ...lines])).not.toThrow();
  },
);
