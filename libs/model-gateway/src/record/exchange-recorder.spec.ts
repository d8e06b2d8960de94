import * as fc from 'fast-check';
import { withTempDir } from '@assay/testing';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { ExchangeRecorder, type RequestMeta, type ResponseMeta } from './exchange-recorder';
import { readExchanges, type RecordedEvent } from './read-exchanges';
import { Redactor } from './redactor';
import { Spool } from './spool';

const AT = '2026-11-29T00:00:00.000Z';
const SECRET = 'sk-canary-77';

const spools: Spool[] = [];
afterEach(async () => {
  await Promise.all(spools.splice(0).map((spool) => spool.discard()));
});

const requestOf = (id: number): RequestMeta => ({
  type: 'request',
  id,
  at: AT,
  protocol: 'chat',
  path: '/chat/completions',
  model: 'm-1',
  headers: { 'user-agent': `agent ${SECRET}` },
});

const responseTo = (id: number): ResponseMeta => ({
  type: 'response',
  id,
  at: AT,
  end: 'completed',
  status: 200,
  headers: {},
  reason: null,
  tries: [{ status: 200, reason: null, atMs: 0 }],
  firstTokenMs: 12.5,
  durationMs: 20,
  tokens: { prompt: 1, completion: 2, cached: 0, cacheWrite: 0 },
  estimated: false,
  costUsd: null,
});

function recorderIn(dir: string, bound = 1 << 30): Promise<ExchangeRecorder> {
  const begin = { type: 'begin', version: 1, trial: 't', at: AT } as const;
  return ExchangeRecorder.open(join(dir, 'record.jsonl.gz'), begin, new Redactor([SECRET]), bound);
}

async function spooled(dir: string, content: string | Buffer, bound = 1 << 30): Promise<Spool> {
  const spool = await Spool.create(dir, bound);
  spools.push(spool);
  await spool.write(Buffer.from(content));
  return spool;
}

async function eventsOf(file: string): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for await (const event of readExchanges(file)) events.push(event);
  return events;
}

/** Records exchanges with these bodies, and gives what is read back. */
async function roundTrip(
  bodies: readonly (readonly [string | Buffer, string | Buffer])[],
  bound?: number,
): Promise<RecordedEvent[]> {
  return withTempDir(async (dir) => {
    const recorder = await recorderIn(dir, bound);
    for (const [id, [asked, answered]] of bodies.entries()) {
      await recorder.request(requestOf(id), await spooled(dir, asked));
      await recorder.response(responseTo(id), await spooled(dir, answered));
    }
    await recorder.close(new Date(AT));
    expect(recorder.failure).toBeNull();
    return eventsOf(join(dir, 'record.jsonl.gz'));
  });
}

const text = fc.string({ unit: 'binary', maxLength: 200 });

test('whatever text is recorded comes back as it was', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(text, text), { maxLength: 3 }), async (bodies) => {
      const events = await roundTrip(bodies);
      const found = events.map((event) =>
        event.kind === 'exchange' ? [event.request.body, event.response?.body] : event.kind,
      );
      expect(found).toEqual(bodies);
    }),
    { numRuns: 50 },
  );
});

test('bytes that are no text come back from base64', async () => {
  const bytes = Buffer.from([0xff, 0xfe, 0x00, 0x80, 0x41]);
  const [event] = await roundTrip([[bytes, Buffer.concat([bytes, Buffer.from(SECRET)])]]);
  if (event?.kind !== 'exchange') throw new Error('no exchange');
  expect(event.request).toMatchObject({ encoding: 'base64', bytes: 5 });
  expect(Buffer.from(event.request.body, 'base64')).toEqual(bytes);
  expect(
    Buffer.from(event.response?.body ?? '', 'base64')
      .subarray(5)
      .toString(),
  ).toBe('[redacted]');
});

test('secrets are taken out of bodies, headers and whatever else is written', async () => {
  await withTempDir(async (dir) => {
    const recorder = await recorderIn(dir);
    const body = await spooled(dir, `${'x'.repeat(65_530)}${SECRET}${'y'.repeat(10)}`);
    await recorder.request(requestOf(1), body);
    recorder.refused({ type: 'refused', at: AT, path: `/${SECRET}`, status: 404, code: 'assay_x' });
    await recorder.close(new Date(AT));
    const plain = gunzipSync(await readFile(join(dir, 'record.jsonl.gz'))).toString();
    expect(plain).not.toContain(SECRET);
    expect(plain.match(/\[redacted\]/g)).toHaveLength(3);
  });
});

test('a record that is cut anywhere gives the exchanges before the cut, and says that it was cut', async () => {
  await withTempDir(async (dir) => {
    const recorder = await recorderIn(dir);
    for (const id of [1, 2, 3]) {
      await recorder.request(requestOf(id), await spooled(dir, `question ${id}`));
      await recorder.response(responseTo(id), await spooled(dir, `answer ${id}`));
    }
    await recorder.close(new Date(AT));
    const whole = await readFile(join(dir, 'record.jsonl.gz'));
    let last = 0;
    for (let length = 0; length < whole.length; length += length < whole.length - 300 ? 5 : 1) {
      const cut = join(dir, 'cut.jsonl.gz');
      await writeFile(cut, whole.subarray(0, length));
      const events = await eventsOf(cut);
      // Of the last member the checksum and the mark of its end may be missing: no content.
      if (length < whole.length - 10) expect(events.at(-1)).toEqual({ kind: 'cut' });
      const answers = events.map((event) =>
        event.kind === 'exchange' ? (event.response?.body ?? 'open') : event.kind,
      );
      const complete = answers.filter((answer) => answer.startsWith('answer'));
      expect(complete).toEqual(['answer 1', 'answer 2', 'answer 3'].slice(0, complete.length));
      expect(complete.length).toBeGreaterThanOrEqual(last);
      last = complete.length;
    }
    expect(last).toBe(3);
    expect((await eventsOf(join(dir, 'record.jsonl.gz'))).map(({ kind }) => kind)).toEqual([
      'exchange',
      'exchange',
      'exchange',
    ]);
  });
});

test('what was written is on disk as soon as the promise says so: a kill afterwards costs nothing of it', async () => {
  await withTempDir(async (dir) => {
    const recorder = await recorderIn(dir);
    await recorder.request(requestOf(1), await spooled(dir, 'question'));
    const events = await eventsOf(join(dir, 'record.jsonl.gz'));
    expect(events).toMatchObject([
      { kind: 'exchange', request: { body: 'question' }, response: null },
      { kind: 'cut' },
    ]);
    await recorder.close(new Date(AT));
  });
});

test('exchanges that run at the same time come in the order of their ends', async () => {
  await withTempDir(async (dir) => {
    const recorder = await recorderIn(dir);
    const body = await spooled(dir, 'x');
    await Promise.all([1, 2, 3].map((id) => recorder.request(requestOf(id), body)));
    await Promise.all([3, 1, 2].map((id) => recorder.response(responseTo(id), body)));
    await recorder.close(new Date(AT));
    const ids = (await eventsOf(join(dir, 'record.jsonl.gz'))).map(
      (event) => event.kind === 'exchange' && event.request.id,
    );
    expect(ids).toEqual([3, 1, 2]);
  });
});

test('beyond the bound of the file bodies are left out, and that is said', async () => {
  const events = await roundTrip([['first', 'second']], 0);
  expect(events).toMatchObject([
    { request: { encoding: 'omitted', body: '', bytes: 5 }, response: { encoding: 'omitted', body: '', bytes: 6 } },
  ]);
});

test('a body that was not kept whole is recorded as far as it was, inside a character too', async () => {
  await withTempDir(async (dir) => {
    const recorder = await recorderIn(dir);
    await recorder.request(requestOf(1), await spooled(dir, 'aä', 2));
    await recorder.close(new Date(AT));
    const [event] = await eventsOf(join(dir, 'record.jsonl.gz'));
    expect(event).toMatchObject({ request: { encoding: 'utf8', truncated: true, bytes: 3, body: 'a\uFFFD' } });
  });
});

test('refusals are written up to a number', async () => {
  await withTempDir(async (dir) => {
    const recorder = await recorderIn(dir);
    for (let n = 0; n < 500; n += 1)
      recorder.refused({ type: 'refused', at: AT, path: '/x', status: 403, code: 'assay_x' });
    await recorder.close(new Date(AT));
    expect(await eventsOf(join(dir, 'record.jsonl.gz'))).toHaveLength(100);
  });
});

test('a line that cannot be written is taken back, the reason is kept, and the next one is written', async () => {
  await withTempDir(async (dir) => {
    const recorder = await recorderIn(dir);
    const gone = await spooled(dir, 'x'.repeat(300_000));
    await gone.discard();
    await recorder.request(requestOf(1), gone);
    await recorder.request(requestOf(2), await spooled(dir, 'fine'));
    await recorder.close(new Date(AT));
    expect(recorder.failure).not.toBeNull();
    expect(await eventsOf(join(dir, 'record.jsonl.gz'))).toMatchObject([{ request: { id: 2, body: 'fine' } }]);
  });
});

test('the file is for this user alone, and an older one is never written over', async () => {
  await withTempDir(async (dir) => {
    const recorder = await recorderIn(dir);
    await recorder.close(new Date(AT));
    expect((await stat(join(dir, 'record.jsonl.gz'))).mode & 0o777).toBe(0o600);
    await expect(recorderIn(dir)).rejects.toThrow('EEXIST');
  });
});

test('a file that is no record, or not there, is an error', async () => {
  await withTempDir(async (dir) => {
    await writeFile(join(dir, 'text'), 'not gzip at all');
    await expect(eventsOf(join(dir, 'text'))).rejects.toThrow('incorrect header check');
    await expect(eventsOf(join(dir, 'absent'))).rejects.toThrow('ENOENT');
  });
});
