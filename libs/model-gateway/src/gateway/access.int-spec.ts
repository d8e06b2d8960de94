import { eventually } from '@assay/testing';
import { once } from 'node:events';
import { chmod, rm, stat, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { UNLIMITED } from '../access/budget';
import { chatReply, chatStream } from '../harness/replies';
import { hang, json, type Answering } from '../harness/faulty-upstream';
import { GatewayBench } from '../harness/gateway-bench';
import { ModelGateway } from './model-gateway';

let bench: GatewayBench;
beforeEach(async () => {
  bench = await GatewayBench.start(json(200, chatReply({ prompt: 1, completion: 1 })));
});
afterEach(() => bench.stop());

describe('a token', () => {
  test('is random, registered as a secret, and opens as bearer token and as x-api-key', async () => {
    const [one, two] = [await bench.open(), await bench.open()];
    expect(one.token).toMatch(/^assay-[A-Za-z0-9_-]{43}$/);
    expect(one.token).not.toBe(two.token);
    expect(bench.secrets).toEqual(expect.arrayContaining([one.token, two.token]));
    expect((await bench.chat(one)).status).toBe(200);
    const asking = { headers: { 'x-api-key': two.token }, body: { model: 'm-1' }, path: '/v1/messages' };
    expect((await bench.raw(asking)).status).toBe(200);
    expect((await one.close()).calls).toBe(1);
    expect((await two.close()).calls).toBe(1);
  });

  test.each<[string, Record<string, string>]>([
    ['none', {}],
    ['a wrong one', { authorization: 'Bearer assay-wrong' }],
    ['one in another scheme', { authorization: 'Basic assay-wrong' }],
    ['an empty one', { authorization: 'Bearer ', 'x-api-key': '' }],
  ])('that is no open trial’s opens nothing: %s', async (_name, headers) => {
    await bench.open();
    const reply = await bench.raw({ headers, body: { model: 'm-1' } });
    expect(reply.status).toBe(401);
    expect(reply.json).toMatchObject({ error: { code: 'assay_token_invalid', type: 'authentication_error' } });
    expect(bench.upstream.seen).toHaveLength(0);
  });

  test('is dead at once when its trial is closed, while another one lives', async () => {
    const [one, two] = [await bench.open(), await bench.open()];
    const closing = one.close();
    expect((await bench.chat(one)).status).toBe(401);
    await closing;
    expect((await bench.chat(two)).status).toBe(200);
  });

  test('may be given, if it is long enough', async () => {
    await expect(bench.open({ token: 'short' })).rejects.toMatchObject({ code: 'gateway_token_weak' });
    const token = 'given-'.repeat(8);
    expect((await bench.open({ token })).token).toBe(token);
    expect((await bench.chat({ token })).status).toBe(200);
  });
});

test('closing cuts an open stream, writes down what passed, and answers the same twice', async () => {
  const [first = '', second = ''] = chatStream(null, ['12345678']);
  bench.upstream.next.push((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(first + second);
  });
  const trial = await bench.open();
  const open = await bench.stream(trial);
  await eventually(() => open.received() === first + second);
  const usage = await trial.close();
  await eventually(() => open.end() === 'cut');
  expect(usage).toMatchObject({
    calls: 1,
    completedExchanges: 0,
    lastExchange: 'client_abort',
    lastFailure: null,
    completionTokens: 2,
    estimated: true,
  });
  expect(await trial.close()).toEqual(usage);
  expect(await bench.record(trial.key)).toMatchObject([{ response: { end: 'client_abort', body: first + second } }]);
});

test('closing does not wait for a provider that hangs', async () => {
  bench.upstream.next.push(hang);
  const trial = await bench.open();
  const cut = expect(bench.chat(trial)).rejects.toThrow('socket hang up');
  await eventually(() => bench.upstream.seen.length === 1);
  expect(await trial.close()).toMatchObject({ calls: 1, lastExchange: 'client_abort', promptTokens: 0 });
  await cut;
});

test('the same trial is not opened twice, nor a record written over', async () => {
  const trial = await bench.open({ key: 'a' });
  await expect(bench.open({ key: 'a' })).rejects.toMatchObject({ code: 'gateway_trial_open' });
  await trial.close();
  await expect(bench.open({ key: 'a' })).rejects.toThrow('EEXIST');
});

describe('a request that goes nowhere', () => {
  test.each<[string, string]>([
    ['GET', '/'],
    ['POST', '/v1/files'],
    ['POST', '/v1/chat/completions/../../admin'],
    ['POST', '/v1/chat/completions?x=http://elsewhere'],
    ['POST', 'http://elsewhere/v1/chat/completions'],
    ['GET', '/v1/chat/completions'],
    ['PUT', '/v1/models'],
  ])('%s %s is answered 404 in JSON, with and without a token', async (method, path) => {
    const trial = await bench.open();
    for (const asking of [bench.ask(trial, { method, path }), bench.raw({ method, path })]) {
      const reply = await asking;
      expect(reply.status).toBe(404);
      expect(reply.headers['content-type']).toBe('application/json');
      expect(reply.json).toMatchObject({ error: { code: 'assay_unknown_path' } });
    }
    expect(bench.upstream.seen).toHaveLength(0);
  });

  test('CONNECT is answered 404 and closed', async () => {
    const socket = connect(bench.socketPath);
    socket.write('CONNECT elsewhere:443 HTTP/1.1\r\nHost: elsewhere\r\n\r\n');
    let said = '';
    socket.on('data', (part: Buffer) => (said += part.toString()));
    await once(socket, 'close');
    expect(said).toMatch(/^HTTP\/1\.1 404 .*assay_unknown_path/s);
    expect(bench.upstream.seen).toHaveLength(0);
  });

  test('whatever Host it names, it goes to the configured provider', async () => {
    const trial = await bench.open();
    await bench.chat(trial, {}, { headers: { host: 'elsewhere.example', 'x-forwarded-host': 'elsewhere.example' } });
    expect(bench.upstream.seen[0]?.headers.host).toBe(new URL(bench.upstream.url).host);
    expect(JSON.stringify(bench.upstream.seen[0]?.rawHeaders)).not.toContain('elsewhere');
  });
});

describe('a request that is refused', () => {
  test.each<[string, unknown, number, string]>([
    ['no JSON', 'not json', 400, 'assay_request_malformed'],
    ['no object', '[]', 400, 'assay_request_malformed'],
    ['cut', '{"model":"m-1"', 400, 'assay_request_malformed'],
    ['of two models', '{"model":"m-1","model":"m-2"}', 400, 'assay_request_malformed'],
    ['in UTF-16', Buffer.from('{"model":"m-1"}', 'utf16le'), 400, 'assay_request_malformed'],
    ['one that searches the web', { model: 'm-1', web_search_options: {} }, 400, 'assay_outside_reach'],
  ])('is answered before it goes out and counts no call: %s', async (_name, body, status, code) => {
    const trial = await bench.open();
    const reply = await bench.ask(trial, { body });
    expect(reply).toMatchObject({ status, json: { error: { code } } });
    expect(bench.upstream.seen).toHaveLength(0);
    expect(await trial.close()).toMatchObject({ calls: 0, refused: 1, lastExchange: 'none' });
    expect(await bench.record(trial.key)).toMatchObject([{ kind: 'refused', refusal: { status, code } }]);
  });
});

describe('bounds', () => {
  test('a body of exactly the bound goes through, a larger one is told so', async () => {
    const small = await GatewayBench.start(json(200, chatReply(null)), { bounds: { requestBytes: 10_000 } });
    try {
      const trial = await small.open();
      const sized = (bytes: number): string => `{"x":"${'x'.repeat(bytes - 8)}"}`;
      expect((await small.ask(trial, { body: sized(10_000) })).status).toBe(200);
      expect(await small.ask(trial, { body: sized(10_001) })).toMatchObject({
        status: 413,
        json: { error: { code: 'assay_request_too_large', message: 'the request has more than 10000 bytes' } },
      });
      expect((await small.ask(trial, { body: sized(30_000) })).status).toBe(413);
      expect((await small.ask(trial, { body: sized(10_000) })).status).toBe(200);
    } finally {
      await small.stop();
    }
  });

  test('a body that does not end is not read on and on', async () => {
    const small = await GatewayBench.start(json(200, chatReply(null)), { bounds: { requestBytes: 1_000_000 } });
    try {
      const { token } = await small.open();
      const socket = connect(small.socketPath);
      const head = `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}`;
      socket.write(`${head}\r\nTransfer-Encoding: chunked\r\n\r\n`);
      const piece = Buffer.from(`10000\r\n${' '.repeat(0x10000)}\r\n`);
      let sent = 0;
      const pump = (): void => {
        do sent += piece.length;
        while (socket.writable && socket.write(piece));
      };
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.on('drain', pump).on('error', () => undefined);
      pump();
      await closed;
      // Four times the bound is read, so that a client hears why; the rest is what lies in buffers.
      expect(sent).toBeLessThan(8_000_000);
    } finally {
      await small.stop();
    }
  });

  test('only so many exchanges of one trial run at the same time, the next waits; another trial is not held up', async () => {
    const narrow = await GatewayBench.start(json(200, chatReply(null)), { bounds: { atOnce: 2 } });
    try {
      const [one, two] = [await narrow.open(), await narrow.open()];
      const answers: (() => void)[] = [];
      const later: Answering = async (response, request) => {
        await new Promise<void>((go) => answers.push(go));
        await json(200, chatReply(null))(response, request);
      };
      narrow.upstream.next.push(later, later);
      const replies = [narrow.chat(one), narrow.chat(one), narrow.chat(one)];
      await eventually(() => answers.length === 2);
      expect((await narrow.chat(two)).status).toBe(200);
      expect(narrow.upstream.seen).toHaveLength(3);
      for (const answer of answers) answer();
      for (const reply of replies) expect((await reply).status).toBe(200);
      expect(await one.close()).toMatchObject({ calls: 3, completedExchanges: 3, refused: 0 });
    } finally {
      await narrow.stop();
    }
  });

  test('an agent that asks faster than its record is written waits, and is refused nothing', async () => {
    const trial = await bench.open();
    const asking = Array.from({ length: 40 }, async () => {
      for (let n = 0; n < 5; n += 1) expect((await bench.chat(trial)).status).toBe(200);
    });
    await Promise.all(asking);
    expect(await trial.close()).toMatchObject({ calls: 200, completedExchanges: 200, refused: 0, recordFailure: null });
    expect(await bench.record(trial.key)).toHaveLength(200);
  });

  test('closing does not wait for those who wait for their turn', async () => {
    const narrow = await GatewayBench.start(hang, { bounds: { atOnce: 1 } });
    try {
      const trial = await narrow.open();
      const hanging = [1, 2].map(() => expect(narrow.chat(trial)).rejects.toThrow());
      await eventually(() => narrow.upstream.seen.length === 1);
      expect(await trial.close()).toMatchObject({ calls: 1 });
      await Promise.all(hanging);
    } finally {
      await narrow.stop();
    }
  });
});

describe('listening', () => {
  const options = (
    socketPath: string | null,
    loopbackPort: number | null,
  ): Parameters<typeof ModelGateway.start>[0] => ({
    upstream: { baseUrl: bench.upstream.url, keyFile: join(bench.dir, 'key') },
    listen: { socketPath, loopbackPort },
    spoolDir: join(bench.dir, 'spool'),
    prices: null,
  });

  test('on the loopback interface too, for sandboxes that are processes', async () => {
    const gateway = await ModelGateway.start(options(null, 0));
    try {
      expect(gateway.loopbackUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
      const trial = await gateway.open({ key: 'x', budgets: UNLIMITED, recordFile: bench.recordFile('x') });
      const reply = await fetch(`${gateway.loopbackUrl ?? ''}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${trial.token}` },
        body: '{"model":"m-1"}',
      });
      expect(await reply.json()).toEqual(chatReply({ prompt: 1, completion: 1 }));
    } finally {
      await gateway.stop();
    }
  });

  test('a socket that a killed gateway left is replaced, and any user may connect', async () => {
    const path = join(bench.dir, 'left.sock');
    await writeFile(path, '');
    const gateway = await ModelGateway.start(options(path, null));
    expect((await stat(path)).mode & 0o777).toBe(0o666);
    await gateway.stop();
    await expect(stat(path)).rejects.toThrow('ENOENT');
  });

  test('a socket that somebody answers on is left alone', async () => {
    await expect(ModelGateway.start(options(bench.socketPath, null))).rejects.toMatchObject({
      code: 'gateway_not_listening',
      message: `the model gateway cannot listen on ${bench.socketPath}: another process listens there`,
    });
    expect((await bench.chat(await bench.open())).status).toBe(200);
  });

  test('a path that is too long, a folder that is not there and a port that is taken are told', async () => {
    const long = join(bench.dir, 'x'.repeat(100));
    await expect(ModelGateway.start(options(long, null))).rejects.toThrow(`cannot listen on ${long}: it has`);
    await expect(ModelGateway.start(options('/nowhere/at/all.sock', null))).rejects.toThrow(
      'cannot listen on /nowhere',
    );
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    await expect(ModelGateway.start(options(null, port))).rejects.toThrow(`cannot listen on 127.0.0.1:${port}`);
    taken.close();
  });

  test.each(['ftp://x/v1', 'http://user:pw@x/v1', 'http://x/v1?a=b', 'http://x/v1#a', 'x', ''])(
    'the base URL %s is refused, and not repeated',
    async (baseUrl) => {
      const upstream = { baseUrl, keyFile: join(bench.dir, 'key') };
      const failure = await ModelGateway.start({ ...options(null, null), upstream }).catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: 'model_base_url_invalid' });
      expect(String(failure)).not.toContain('pw');
    },
  );

  test('a key file that others can read is refused at the start', async () => {
    await chmod(join(bench.dir, 'key'), 0o644);
    await expect(ModelGateway.start(options(null, 0))).rejects.toMatchObject({ code: 'model_key_unsafe' });
    await rm(join(bench.dir, 'key'));
    await expect(ModelGateway.start(options(null, 0))).rejects.toThrow('does not exist');
  });
});
