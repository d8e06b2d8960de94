import { freePort } from '@assay/testing';
import { TestRegistry, type RegistryReply } from '../harness/registry-standin';
import { HttpImageRegistry } from './http-image-registry.client';

const never = new AbortController().signal;
let registry: TestRegistry;

beforeEach(async () => {
  registry = await TestRegistry.start();
});
afterEach(() => registry.stop());

const ask = (image: string, mirror: string | null = null, timeoutMs = 5_000) =>
  new HttpImageRegistry({ mirror, timeoutMs }).digestOf(image, never);
const status =
  (code: number, headers: Record<string, string> = {}): RegistryReply =>
  (_request, response) => {
    response.writeHead(code, headers).end();
  };

test('the digest of a name is asked for without moving content', async () => {
  const digest = registry.has('owner/name:1');
  expect(await ask(`${registry.host}/owner/name:1`)).toEqual({ answer: 'digest', digest });
  expect(registry.asked).toEqual(['HEAD /v2/owner/name/manifests/1']);
});

test('a registry that wants a token gets one for that name alone', async () => {
  registry.wantsToken = true;
  const digest = registry.has('owner/name:1');
  expect(await ask(`${registry.host}/owner/name:1`)).toEqual({ answer: 'digest', digest });
  expect(registry.asked).toEqual([
    'HEAD /v2/owner/name/manifests/1',
    'GET /token?service=registry.test&scope=repository%3Aowner%2Fname%3Apull',
    'HEAD /v2/owner/name/manifests/1',
  ]);
});

test('a name that is not there is absent, with the registry and the name', async () => {
  expect(await ask(`${registry.host}/owner/name:2`)).toEqual({
    answer: 'absent',
    reason: `http://${registry.host} has no owner/name:2`,
  });
});

test.each([401, 403])('%d is absent, too: it will not change by itself', async (code) => {
  registry.reply = status(code);
  expect(await ask(`${registry.host}/owner/name:1`)).toEqual({
    answer: 'absent',
    reason: `http://${registry.host} denies owner/name:1: there is none, or it needs credentials`,
  });
});

test.each<[string, RegistryReply, string, number | null]>([
  ['500', status(500), 'answered 500', null],
  ['429', status(429, { 'retry-after': '120' }), 'answered 429', 120],
  ['no digest', status(200), 'named an image without its sha256 digest', null],
  ['a digest of another kind', status(200, { 'docker-content-digest': 'md5:0' }), 'named an image without', null],
  ['a broken connection', (request) => request.socket.destroy(), 'does not answer:', null],
  ['nothing', () => undefined, 'does not answer: The operation was aborted due to timeout', null],
])('%s is no answer: it may come later', async (_, reply, reason, retryAfterSeconds) => {
  registry.reply = reply;
  const answer = await ask(`${registry.host}/owner/name:1`, null, 500);
  expect(answer).toEqual({
    answer: 'unavailable',
    reason: expect.stringContaining(`http://${registry.host} ${reason}`) as string,
    retryAfterSeconds,
  });
});

test('a date of Retry-After is understood', async () => {
  registry.reply = status(503, { 'retry-after': new Date(Date.now() + 60_000).toUTCString() });
  const answer = await ask(`${registry.host}/owner/name:1`);
  expect(answer).toMatchObject({ answer: 'unavailable' });
  expect((answer as { retryAfterSeconds: number }).retryAfterSeconds).toBeGreaterThan(50);
});

test('nobody there is no answer, with the reason of the system', async () => {
  const port = await freePort();
  expect(await ask(`127.0.0.1:${port}/a/b`)).toMatchObject({
    answer: 'unavailable',
    reason: expect.stringContaining('ECONNREFUSED') as string,
  });
});

test('a place for tokens that is out of order is no answer; one that refuses leaves the name denied', async () => {
  registry.wantsToken = true;
  const tokens =
    (code: number): RegistryReply =>
    (request, response) => {
      if (request.url?.startsWith('/token') === true) response.writeHead(code).end();
      else registry.usual(request, response);
    };
  registry.reply = tokens(503);
  expect(await ask(`${registry.host}/a/b`)).toMatchObject({
    answer: 'unavailable',
    reason: expect.stringContaining('sends for tokens, answered 503') as string,
  });
  registry.reply = tokens(403);
  expect(await ask(`${registry.host}/a/b`)).toMatchObject({ answer: 'absent' });
});

test('the mirror is asked first; what it has counts', async () => {
  const digest = registry.has('hub/owner/name:1');
  expect(await ask('owner/name:1', `${registry.host}/hub`)).toEqual({ answer: 'digest', digest });
});

test('what is no image name is absent', async () => {
  expect(await ask('Not An Image')).toEqual({ answer: 'absent', reason: 'it is no image name' });
});

test('who stops asking gets the reason of stopping', async () => {
  registry.reply = () => undefined;
  const abort = new AbortController();
  const asking = new HttpImageRegistry({ mirror: null }).digestOf(`${registry.host}/a/b`, abort.signal);
  abort.abort(new Error('stopped'));
  await expect(asking).rejects.toThrow('stopped');
});
