import { eventually } from '@assay/testing';
import { createHash, randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { chatReply } from '../harness/replies';
import { json } from '../harness/faulty-upstream';
import { GatewayBench } from '../harness/gateway-bench';

const MB = 1024 * 1024;
const PIECE = randomBytes(MB);

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes that somebody holds on to. */
function held(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

let bench: GatewayBench;
beforeEach(async () => {
  bench = await GatewayBench.start(json(200, chatReply(null)), { bounds: { replyBytes: 8 * MB } });
});
afterEach(() => bench.stop());

test('a client that is slow slows the provider down, and a huge reply is held nowhere', async () => {
  const pieces = 100;
  let written = 0;
  bench.upstream.next.push(async (response) => {
    response.writeHead(200, { 'content-type': 'application/octet-stream' });
    for (; written < pieces; written += 1) {
      if (!response.write(PIECE)) await new Promise((drained) => response.once('drain', drained));
    }
    response.end();
  });
  const trial = await bench.open();
  const before = held();
  const { response } = await bench.stream(trial);
  response.removeAllListeners('data');
  response.pause();
  await standsStill(() => written);
  expect(written).toBeLessThan(20);

  const hash = createHash('sha256');
  let bytes = 0;
  let most = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    hash.update(part);
    if (Math.floor(bytes / (25 * MB)) !== Math.floor((bytes + part.length) / (25 * MB))) most = Math.max(most, held());
    bytes += part.length;
  }
  const expected = createHash('sha256');
  for (let n = 0; n < pieces; n += 1) expected.update(PIECE);
  expect(bytes).toBe(pieces * MB);
  expect(hash.digest('hex')).toBe(expected.digest('hex'));
  expect(most - before).toBeLessThan(30 * MB);
  await trial.close();
  const [event] = await bench.record(trial.key);
  expect(event).toMatchObject({ response: { bytes, truncated: true, encoding: 'base64' } });
});

test('a huge request is held nowhere', async () => {
  const trial = await bench.open();
  let most = 0;
  let bytes = 0;
  bench.upstream.readsBodies = false;
  bench.upstream.next.push(async (response, seen) => {
    for await (const part of seen.stream as AsyncIterable<Buffer>) {
      if (Math.floor(bytes / (20 * MB)) !== Math.floor((bytes + part.length) / (20 * MB)))
        most = Math.max(most, held());
      bytes += part.length;
    }
    await json(200, chatReply(null))(response, seen);
  });
  const before = held();
  const headers = { authorization: `Bearer ${trial.token}` };
  const asking = request({ socketPath: bench.socketPath, path: '/v1/chat/completions', method: 'POST', headers });
  const answered = new Promise<number | undefined>((resolve, reject) => {
    asking.once('response', ({ statusCode }) => {
      resolve(statusCode);
    });
    asking.once('error', reject);
  });
  asking.write('{"model":"m-1","x":"');
  const piece = Buffer.alloc(MB, 'x');
  for (let n = 0; n < 60; n += 1) {
    if (!asking.write(piece)) await new Promise((drained) => asking.once('drain', drained));
  }
  asking.end('"}');
  expect(await answered).toBe(200);
  expect(bytes).toBe(60 * MB + 22);
  expect(most - before).toBeLessThan(30 * MB);
  expect(await trial.close()).toMatchObject({ completedExchanges: 1, recordFailure: null });
});

/** Waits until a number has not changed for a while, having changed at all. */
async function standsStill(value: () => number): Promise<void> {
  let last = -1;
  let since = 0;
  await eventually(() => {
    const now = value();
    since = now === last && now > 0 ? since + 1 : 0;
    last = now;
    return since > 10;
  });
}
