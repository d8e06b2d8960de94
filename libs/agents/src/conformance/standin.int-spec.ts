import { withTempDir } from '@assay/testing';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startModelStandin, type ModelStandin } from '../../../../tools/model-standin/server.mjs';

// What the real programs are driven with must itself be right: the stand-in in the words of each protocol.

const TRANSCRIPT = {
  task: 'a',
  turns: [
    { content: 'I look.', actions: [{ read: 'src/x.mjs' }, { run: 'ls -la' }] },
    { content: 'I mend.', actions: [{ write: { path: "src/it's.mjs", content: 'a\nb' } }] },
    { content: 'Done.', actions: [], usage: null },
  ],
  usage: { prompt_tokens: 100, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 30 } },
};
const PROMPT = 'Task: a\nWorking directory: /app\n\nMend it.';

type Json = Record<string, unknown>;

function withStandin<T>(transcripts: readonly object[], work: (standin: ModelStandin) => Promise<T>): Promise<T> {
  return withTempDir(async (dir) => {
    await Promise.all(transcripts.map((one, at) => writeFile(join(dir, `${at}.json`), JSON.stringify(one))));
    const standin = await startModelStandin({ transcriptsDir: dir, apiKey: 'k' });
    try {
      return await work(standin);
    } finally {
      await standin.stop();
    }
  });
}

const post = (standin: ModelStandin, path: string, body: object, headers: object = { authorization: 'Bearer k' }) =>
  fetch(`${standin.url}${path}`, { method: 'POST', headers: { ...headers }, body: JSON.stringify(body) });

/** Data of every server-sent event. */
async function events(answer: Response): Promise<Json[]> {
  const text = await answer.text();
  return [...text.matchAll(/^data: (\{.*\})$/gm)].map(([, data]) => JSON.parse(data ?? '') as Json);
}

const assistant = { role: 'assistant', content: 'x' };
const user = { role: 'user', content: PROMPT };
const chatTools = (...names: string[]) => names.map((name) => ({ type: 'function', function: { name } }));

async function chatCalls(standin: ModelStandin, tools: string[], turn: number) {
  const said = Array.from({ length: turn }, () => assistant);
  const body = { model: 'm', messages: [user, ...said], tools: chatTools(...tools) };
  const whole = (await (await post(standin, '/v1/chat/completions', body)).json()) as {
    choices: [{ message: { content: string; tool_calls?: { function: { name: string; arguments: string } }[] } }];
  };
  const [{ message }] = whole.choices;
  const calls = (message.tool_calls ?? []).map(({ function: { name, arguments: text } }) => [
    name,
    JSON.parse(text) as Json,
  ]);
  return { content: message.content, calls };
}

test('actions become calls of the tools that the caller offers, with absolute paths', async () => {
  await withStandin([TRANSCRIPT], async (standin) => {
    expect(await chatCalls(standin, ['edit', 'read_file', 'write_file', 'run_shell_command'], 0)).toEqual({
      content: 'I look.',
      calls: [
        ['read_file', { file_path: '/app/src/x.mjs' }],
        ['run_shell_command', { command: 'ls -la', is_background: false }],
      ],
    });
    expect((await chatCalls(standin, ['read', 'write', 'bash'], 1)).calls).toEqual([
      ['write', { filePath: "/app/src/it's.mjs", content: 'a\nb' }],
    ]);
  });
});

test('a caller without a tool for files gets commands; one that offers no shell at all gets the text', async () => {
  await withStandin([TRANSCRIPT], async (standin) => {
    expect((await chatCalls(standin, ['bash'], 1)).calls).toEqual([
      ['bash', { command: "cat > 'src/it'\\''s.mjs' <<'EOF'\na\nb\nEOF", description: 'Run a command' }],
    ]);
    expect(await chatCalls(standin, ['think'], 0)).toEqual({ content: 'I look.', calls: [] });
  });
});

test('no actions end the work: by text, by the one tool there is, or by the block that mini wants', async () => {
  await withStandin([TRANSCRIPT], async (standin) => {
    expect(await chatCalls(standin, ['write_file', 'run_shell_command'], 2)).toEqual({ content: 'Done.', calls: [] });
    expect((await chatCalls(standin, ['bash'], 2)).calls[0]?.[1]).toMatchObject({
      command: 'echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT',
    });
    expect((await chatCalls(standin, [], 2)).content).toBe('Done.\n\n```bash\necho ASSAY_SUBMIT\n```\n');
  });
});

test('words that an agent puts into the mouth of the model before the task are no reply', async () => {
  await withStandin([TRANSCRIPT], async (standin) => {
    const before = [
      { role: 'user', content: 'My context.' },
      { role: 'assistant', content: 'Thanks.' },
    ];
    const answer = await post(standin, '/v1/chat/completions', { model: 'm', messages: [...before, user] });
    expect(JSON.stringify(await answer.json())).toContain('I look.');
    expect(standin.requests[0]?.turn).toBe(0);
  });
});

test('what was asked and what was told of tokens is kept, to the token', async () => {
  await withStandin([TRANSCRIPT, { task: 'b', turns: [{ status: 500 }] }], async (standin) => {
    await chatCalls(standin, [], 0);
    await chatCalls(standin, [], 2);
    await post(standin, '/v1/chat/completions', { model: 'm', messages: [{ role: 'user', content: 'Task: b' }] });
    const told = await fetch(`${standin.url}/standin/requests`, { headers: { authorization: 'Bearer k' } });
    const { requests } = (await told.json()) as { requests: Json[] };
    expect(requests).toMatchObject([
      { protocol: 'chat', task: 'a', turn: 0, answered: 'content', usage: { prompt_tokens: 100, total_tokens: 107 } },
      { task: 'a', turn: 2, answered: 'content', usage: null },
      { task: 'b', turn: 0, answered: 'fault', usage: null },
    ]);
    expect(requests[0]).not.toHaveProperty('body');
  });
});

test('responses: text, function calls, and usage in the last event; replies are counted as runs of items', async () => {
  await withStandin([TRANSCRIPT], async (standin) => {
    const call = { type: 'function_call', call_id: 'c', name: 'exec_command', arguments: '{}' };
    const input = [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: PROMPT }] },
      { type: 'reasoning', summary: [] },
      call,
      { ...call, call_id: 'd' },
      { type: 'function_call_output', call_id: 'c', output: 'x' },
    ];
    const body = { model: 'm', stream: true, input, tools: [{ type: 'function', name: 'exec_command' }] };
    const told = await events(await post(standin, '/v1/responses', body));
    expect(told[0]).toMatchObject({ type: 'response.created', response: { status: 'in_progress' } });
    const done = told.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item as Json);
    expect(done).toMatchObject([
      { type: 'message', content: [{ type: 'output_text', text: 'I mend.' }] },
      { type: 'function_call', name: 'exec_command' },
    ]);
    expect(done[1]?.['arguments']).toMatch(/^\{"cmd":"cat > /);
    expect(told.at(-1)).toMatchObject({
      type: 'response.completed',
      response: {
        usage: {
          input_tokens: 100,
          input_tokens_details: { cached_tokens: 30 },
          output_tokens: 7,
          total_tokens: 107,
        },
      },
    });
  });
});

test('messages: blocks in their order, input tokens without the cached ones, the key in x-api-key', async () => {
  await withStandin([TRANSCRIPT], async (standin) => {
    const body = {
      model: 'm',
      stream: true,
      messages: [{ role: 'user', content: [{ type: 'text', text: PROMPT }] }],
      tools: [{ name: 'Bash' }, { name: 'Read' }],
    };
    const told = await events(await post(standin, '/v1/messages', body, { 'x-api-key': 'k' }));
    expect(told[0]).toMatchObject({
      type: 'message_start',
      message: { usage: { input_tokens: 70, cache_read_input_tokens: 30 } },
    });
    const started = told.filter(({ type }) => type === 'content_block_start').map((event) => event['content_block']);
    expect(started).toMatchObject([
      { type: 'text', text: '' },
      { type: 'tool_use', name: 'Read', input: {} },
      { type: 'tool_use', name: 'Bash', input: {} },
    ]);
    const pieces = told.filter(({ type, index }) => type === 'content_block_delta' && index === 1);
    const json = pieces.map(({ delta }) => (delta as { partial_json: string }).partial_json).join('');
    expect(JSON.parse(json)).toEqual({ file_path: '/app/src/x.mjs' });
    expect(told.at(-2)).toMatchObject({ delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 7 } });
    expect(told.at(-1)).toEqual({ type: 'message_stop' });
  });
});

test('generateContent: parts, function calls and usage, the key in x-goog-api-key', async () => {
  await withStandin([TRANSCRIPT], async (standin) => {
    const path = '/v1beta/models/m-1:streamGenerateContent?alt=sse';
    const declarations = [{ name: 'run_shell_command' }, { name: 'read_file' }];
    const contents = [{ role: 'user', parts: [{ text: PROMPT }] }];
    const body = { contents, tools: [{ functionDeclarations: declarations }] };
    const told = await events(await post(standin, path, body, { 'x-goog-api-key': 'k' }));
    const parts = told.flatMap(
      ({ candidates }) => (candidates as { content: { parts: Json[] } }[])[0]?.content.parts ?? [],
    );
    expect(parts.flatMap(({ text }) => (typeof text === 'string' ? [text] : [])).join('')).toBe('I look.');
    expect(parts.slice(1)).toMatchObject([
      { functionCall: { name: 'read_file', args: { file_path: '/app/src/x.mjs' } } },
      { functionCall: { name: 'run_shell_command', args: { command: 'ls -la' } } },
    ]);
    expect(told.at(-1)).toMatchObject({
      usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 7, cachedContentTokenCount: 30 },
    });
    expect(standin.requests[0]).toMatchObject({ protocol: 'gemini', model: 'm-1', stream: true });
  });
});

test.each([
  ['/v1/responses', { input: PROMPT }, { error: { type: 'server_error' } }],
  ['/v1/messages', { messages: [user] }, { type: 'error', error: { type: 'rate_limit_error' } }],
  [
    '/v1beta/models/m:generateContent',
    { contents: [{ role: 'user', parts: [{ text: PROMPT }] }] },
    { error: { code: 429, status: 'RESOURCE_EXHAUSTED' } },
  ],
])('a fault is worded as %s has it, with its headers', async (path, body, expected) => {
  await withStandin([{ task: 'a', turns: [{ status: 429, headers: { 'retry-after': '2' } }] }], async (standin) => {
    const answer = await post(standin, path, body);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '2']);
    expect(await answer.json()).toMatchObject(expected);
  });
});

test.each(['/v1/responses', '/v1/messages'])('a stream of %s is cut in the middle', async (path) => {
  await withStandin([{ task: 'a', turns: [{ disconnect: true }] }], async (standin) => {
    const answer = await post(standin, path, { stream: true, input: PROMPT, messages: [user] });
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow('terminated');
  });
});

test.each([
  [{ content: 'x', actions: [{ go: 'x' }] }, 'turns[0].actions[0] must be one of'],
  [{ content: 'x', actions: [{ run: 'x' }, { write: { path: 'x' } }] }, 'turns[0].actions[1] must be one of'],
  [{ content: 'x', actions: [], toolCalls: [] }, 'turns[0] must not have both'],
])('actions that are none are refused: %j', async (turn, message) => {
  await expect(withStandin([{ task: 'a', turns: [turn] }], () => Promise.resolve())).rejects.toThrow(message);
});
