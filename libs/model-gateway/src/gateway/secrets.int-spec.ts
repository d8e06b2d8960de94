import { eventually } from '@assay/testing';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { json, stream, type Answering } from '../harness/faulty-upstream';
import { CANARY_KEY, GatewayBench } from '../harness/gateway-bench';
import { chatReply } from '../harness/replies';
import type { GatewayHealth } from '../upstream/circuit-breaker';

let bench: GatewayBench;
let health: GatewayHealth[];
beforeEach(async () => {
  health = [];
  bench = await GatewayBench.start(json(200, chatReply(null)), {
    retries: { tries: 1 },
    circuit: { failures: 1 },
    onHealthChange: (change) => health.push(change),
  });
});
afterEach(() => bench.stop());

/** What a provider was shown, as it would come back from one that repeats it. */
const shown = (headers: Record<string, unknown>): string =>
  `${String(headers['authorization'])} ${String(headers['x-api-key'])}`;

const echo =
  (answer: (words: string) => Answering): Answering =>
  (response, request) =>
    answer(shown(request.headers))(response, request);

const HALVES = (words: string): string[] => {
  const middle = words.indexOf(CANARY_KEY) + 5;
  return [`data: {"x":"`, words.slice(0, middle), words.slice(middle), '"}\n\ndata: [DONE]\n\n'];
};

const CASES: [string, Answering][] = [
  ['in a whole reply', echo((words) => json(200, { ...chatReply(null), echo: words }))],
  ['in a stream, cut in the middle of it', echo((words) => stream(HALVES(words)))],
  ['in an error inside a stream', echo((words) => stream([`data: {"error":${JSON.stringify(words)}}\n\n`]))],
  ['in a 400', echo((words) => json(400, { error: { message: words } }))],
  ['in a 401', echo((words) => json(401, { error: { message: words } }))],
  ['in a 429', echo((words) => json(429, { error: { message: words } }))],
  ['in a 500', echo((words) => json(500, { error: words }))],
  ['in headers', echo((words) => json(200, chatReply(null), { 'x-request-id': words, 'request-id': words }))],
  [
    'in a reply of another kind',
    echo((words) => (response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end(`<p>${words}</p>`);
    }),
  ],
];

test.each(CASES)('a key that the provider repeats %s is found nowhere else', async (_name, answering) => {
  bench.upstream.next.push(answering);
  const trial = await bench.open();
  const reply = await bench
    .chat(trial, { stream: true, messages: [{ role: 'user', content: `my token is ${trial.token}` }] })
    .catch((error: unknown) => ({ headers: {}, body: Buffer.from(inspect(error)) }));
  expect(shown(bench.upstream.seen[0]?.headers ?? {})).toContain(CANARY_KEY);
  const usage = await trial.close();
  const record = gunzipSync(await readFile(bench.recordFile(trial.key))).toString();

  for (const [where, content] of Object.entries({
    reply: reply.body.toString(),
    headers: inspect(reply.headers),
    usage: inspect(usage, { depth: 10 }),
    health: inspect([bench.gateway.health(), health], { depth: 10 }),
    record,
    gateway: inspect([bench.gateway, trial], { depth: 12, showHidden: true }),
    json: JSON.stringify([trial, usage]),
  })) {
    expect(`${where}: ${content}`).not.toContain(CANARY_KEY);
    expect(`${where}: ${content}`).not.toContain(CANARY_KEY.slice(0, 12));
  }
  expect(record).toContain('my token is [redacted]');
  expect(record).not.toContain(trial.token);
});

test('the trial’s token does not reach the provider’s headers, nor anything that could redirect', async () => {
  const trial = await bench.open();
  await bench.chat(
    trial,
    {},
    {
      headers: {
        'x-api-key': trial.token,
        'openai-organization': 'org-x',
        'x-forwarded-for': '1.2.3.4',
        cookie: `t=${trial.token}`,
      },
    },
  );
  const { rawHeaders } = bench.upstream.seen[0]!;
  expect(JSON.stringify(rawHeaders)).not.toContain(trial.token);
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  expect(names.sort()).toEqual([
    'accept-encoding',
    'authorization',
    'connection',
    'content-length',
    'content-type',
    'host',
  ]);
});

test('a stream in which the key comes back is cut before it, and that is our fault', async () => {
  const first = 'data: {"choices":[]}\n\n';
  let go = (): void => undefined;
  bench.upstream.next.push(async (response, { headers }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(first);
    await new Promise<void>((next) => (go = next));
    response.write(`data: ${shown(headers)}\n\n`);
  });
  const trial = await bench.open();
  const open = await bench.stream(trial);
  await eventually(() => open.received() === first);
  go();
  await eventually(() => open.end() === 'cut');
  expect(open.received()).toBe(first);
  expect(await trial.close()).toMatchObject({
    lastExchange: 'upstream_failure',
    lastFailure: { code: 'model_refused', message: 'the provider sent the key back' },
  });
});

test('nothing of a body is left on disk: neither while it is under way nor afterwards', async () => {
  let answer = (): void => undefined;
  bench.upstream.next.push(async (response, request) => {
    await new Promise<void>((go) => (answer = go));
    await json(200, chatReply(null))(response, request);
  });
  const trial = await bench.open();
  const reply = bench.chat(trial);
  await eventually(() => bench.upstream.seen.length === 1);
  const spools = await readdir(join(bench.dir, 'spool'), { recursive: true });
  expect(spools).toEqual([expect.stringMatching(/^gateway-[^/]*$/)]);
  answer();
  await reply;
  await bench.gateway.stop();
  expect(await readdir(join(bench.dir, 'spool'))).toEqual([]);
});
