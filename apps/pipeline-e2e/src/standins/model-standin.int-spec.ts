import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ModelStandin, startModelStandin } from '../../../../tools/model-standin/server.mjs';

const BIN = join(__dirname, '../../../../tools/model-standin/bin.mjs');

interface Message {
  role: string;
  content: unknown;
}

interface Call {
  function: { name?: string; arguments: string };
}

interface Chunk {
  object: string;
  choices: { delta: { role?: string; content?: string | null; tool_calls?: Call[] }; finish_reason: string | null }[];
  usage?: Record<string, number> | null;
}

let dir: string;
let standin: ModelStandin;

async function serve(transcripts: object[], apiKey?: string): Promise<void> {
  dir = await mkdtemp(join(tmpdir(), 'assay-transcripts-'));
  await Promise.all(transcripts.map((one, at) => writeFile(join(dir, `${at}.json`), JSON.stringify(one))));
  standin = await startModelStandin({ transcriptsDir: dir, ...(apiKey === undefined ? {} : { apiKey }) });
}

afterEach(async () => {
  await standin.stop();
  await rm(dir, { recursive: true });
});

const user = (content: unknown): Message => ({ role: 'user', content });
const assistant = (content: string): Message => ({ role: 'assistant', content });

function ask(messages: Message[], more: object = {}, path = '/v1/chat/completions'): Promise<Response> {
  return fetch(`${standin.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer secret' },
    body: JSON.stringify({ model: 'm', messages, ...more }),
  });
}

async function said(messages: Message[]): Promise<string | null> {
  const reply = await ask(messages);
  expect(reply.status).toBe(200);
  const body = (await reply.json()) as { choices: [{ message: { content: string | null } }] };
  return body.choices[0].message.content;
}

async function events(reply: Response): Promise<{ chunks: Chunk[]; last: string | undefined }> {
  const lines = (await reply.text()).split('\n\n').filter((line) => line !== '');
  expect(lines.every((line) => line.startsWith('data: '))).toBe(true);
  const data = lines.map((line) => line.slice('data: '.length));
  return { chunks: data.slice(0, -1).map((line) => JSON.parse(line) as Chunk), last: data.at(-1) };
}

const TWO = { task: 'demo__task-1', turns: [{ content: 'first' }, { content: 'second' }] };

test('the task is the line of the prompt, the turn the number of assistant messages', async () => {
  await serve([TWO, { task: 'demo__task-2', turns: [{ content: 'other' }] }]);
  const prompt = user('You are an agent.\nTask: demo__task-1\nFix it.');
  expect(await said([prompt])).toBe('first');
  expect(await said([prompt, assistant('first'), user('ok')])).toBe('second');
  expect(await said([user([{ type: 'text', text: 'Task: demo__task-2' }])])).toBe('other');
  expect(standin.requests.map(({ task, turn }) => [task, turn])).toEqual([
    ['demo__task-1', 0],
    ['demo__task-1', 1],
    ['demo__task-2', 0],
  ]);
});

test('a task line that the agent itself says is no prompt', async () => {
  await serve([TWO]);
  expect((await ask([assistant('Task: demo__task-1'), user('hm')])).status).toBe(404);
});

test('a stream has a role, content that adds up to the turn, a finish reason, usage on demand, and [DONE]', async () => {
  const content = 'A long answer with an emoji 🧪 in it. '.repeat(30);
  await serve([{ task: 'a', turns: [{ content }], usage: { prompt_tokens: 11, completion_tokens: 7 } }]);
  const reply = await ask([user('Task: a')], { stream: true, stream_options: { include_usage: true } });
  expect(reply.headers.get('content-type')).toContain('text/event-stream');
  const { chunks, last } = await events(reply);
  expect(last).toBe('[DONE]');
  expect(chunks.every(({ object }) => object === 'chat.completion.chunk')).toBe(true);
  expect(chunks[0]?.choices[0]?.delta).toMatchObject({ role: 'assistant' });
  const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta.content ?? ''));
  expect(deltas.join('')).toBe(content);
  expect(deltas.length).toBeGreaterThan(5);
  expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop');
  expect(chunks.at(-1)).toMatchObject({
    choices: [],
    usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
  });
});

test('a stream without include_usage carries none', async () => {
  await serve([TWO]);
  const { chunks } = await events(await ask([user('Task: demo__task-1')], { stream: true }));
  expect(chunks.some((chunk) => 'usage' in chunk)).toBe(false);
});

test('usage null in a transcript: none is reported, as some providers do', async () => {
  await serve([{ ...TWO, usage: null }]);
  expect(await (await ask([user('Task: demo__task-1')])).json()).not.toHaveProperty('usage');
});

test('tool calls are streamed in pieces and end with finish_reason tool_calls', async () => {
  const toolCalls = [{ name: 'run_shell_command', arguments: { command: 'ls -la /some/where' } }];
  await serve([{ task: 'a', turns: [{ content: null, toolCalls }] }]);
  const { chunks } = await events(await ask([user('Task: a')], { stream: true }));
  const calls = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []);
  expect(calls[0]?.function.name).toBe('run_shell_command');
  expect(JSON.parse(calls.map((call) => call.function.arguments).join(''))).toEqual({ command: 'ls -la /some/where' });
  expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('tool_calls');
});

test('faults before a turn come once each, in their order, and then the turn', async () => {
  await serve([
    {
      task: 'a',
      turns: [{ status: 429, headers: { 'retry-after': '1' } }, { status: 503, body: { x: 1 } }, TWO.turns[0]],
    },
  ]);
  const first = await ask([user('Task: a')]);
  expect([first.status, first.headers.get('retry-after')]).toEqual([429, '1']);
  const second = await ask([user('Task: a')]);
  expect([second.status, await second.json()]).toEqual([503, { x: 1 }]);
  expect(await said([user('Task: a')])).toBe('first');
});

test('a fault with nothing after it comes for ever', async () => {
  await serve([{ task: 'a', turns: [{ status: 500 }] }]);
  for (let at = 0; at < 4; at += 1) expect((await ask([user('Task: a')])).status).toBe(500);
});

test('a disconnect cuts the stream in the middle, without a finish reason', async () => {
  await serve([{ task: 'a', turns: [{ disconnect: true }] }]);
  const reply = await ask([user('Task: a')], { stream: true });
  expect(reply.status).toBe(200);
  await expect(reply.text()).rejects.toThrow('terminated');
});

test('a hang is silent, then cut; a stop does not wait for it', async () => {
  await serve([
    { task: 'a', turns: [{ hangMs: 50 }] },
    { task: 'b', turns: [{ hangMs: 3_600_000 }] },
  ]);
  await expect(ask([user('Task: a')])).rejects.toThrow('fetch failed');
  const hanging = expect(ask([user('Task: b')])).rejects.toThrow('fetch failed');
  while (standin.requests.length < 2) await new Promise(setImmediate);
  await standin.stop();
  await hanging;
  standin = await startModelStandin({ transcriptsDir: dir });
});

test('what it does not know is an error as the API words it', async () => {
  await serve([TWO]);
  const unknown = await ask([user('Task: nobody')]);
  expect([unknown.status, await unknown.json()]).toEqual([
    404,
    expect.objectContaining({
      error: expect.objectContaining({ code: 'transcript_not_found', param: null }) as unknown,
    }),
  ]);
  const ended = await ask([user('Task: demo__task-1'), assistant('1'), assistant('2')]);
  expect(ended.status).toBe(400);
  expect((await ask([user('Task: demo__task-1')], {}, '/v1/embeddings')).status).toBe(404);
  expect((await fetch(`${standin.url}/v1/chat/completions`, { method: 'POST', body: '{' })).status).toBe(400);
});

test('repeatLast answers every later turn with the last content', async () => {
  await serve([{ ...TWO, repeatLast: true }]);
  expect(await said([user('Task: demo__task-1'), ...Array.from({ length: 9 }, () => assistant('x'))])).toBe('second');
});

test('with a key, a request without it is refused', async () => {
  await serve([TWO], 'other');
  expect((await ask([user('Task: demo__task-1')])).status).toBe(401);
  expect((await fetch(`${standin.url}/v1/models`)).status).toBe(401);
  await standin.stop();
  standin = await startModelStandin({ transcriptsDir: dir, apiKey: 'secret' });
  expect(await said([user('Task: demo__task-1')])).toBe('first');
});

test('the path works without /v1 too, and models are listed', async () => {
  await serve([TWO]);
  expect((await ask([user('Task: demo__task-1')], {}, '/chat/completions')).status).toBe(200);
  const models = (await (await fetch(`${standin.url}/models`)).json()) as { data: { object: string }[] };
  expect(models.data[0]?.object).toBe('model');
});

test.each([
  [{ turns: [{ content: 'x' }] }, '"task" must be'],
  [{ task: 'a', turns: [] }, '"turns" must be'],
  [{ task: 'a', turns: [{ content: 'x', status: 500 }] }, 'turns[0] must have exactly one'],
  [{ task: 'a', turns: [{ content: 'x' }], turn: 1 }, 'unknown keys: turn'],
])('a malformed transcript is refused with its file: %j', async (transcript, message) => {
  await serve([TWO]);
  await writeFile(join(dir, 'wrong.json'), JSON.stringify(transcript));
  await expect(startModelStandin({ transcriptsDir: dir })).rejects.toThrow(message);
  await expect(startModelStandin({ transcriptsDir: dir })).rejects.toThrow('wrong.json');
});

test('the program says where it listens, and one line when its port is taken', async () => {
  await serve([TWO]);
  const child = spawn(process.execPath, [BIN, '--transcripts', dir], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const url = /http:\S+/.exec(line.toString())?.[0] ?? '';
  expect((await fetch(`${url}/v1/models`)).status).toBe(200);
  const second = spawn(process.execPath, [BIN, '--transcripts', dir, '--port', new URL(url).port]);
  const [[message], [code]] = (await Promise.all([once(second.stderr, 'data'), once(second, 'exit')])) as [
    [Buffer],
    [number],
  ];
  expect(message.toString()).toMatch(/^model stand-in: the port is taken .*\n$/);
  expect(code).toBe(1);
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});
