import { createHmac } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { WebhookReceiver } from '../harness/webhook-receiver';
import { aSample } from './sample';
import { asJson, templateOf } from './template';
import { webhookSender } from './webhook-sender';

const BYTES = Buffer.from('canary-webhook-secret-0123456789');
const SECRET = `whsec_${BYTES.toString('base64')}`;
const NOTIFICATION = aSample('run.ended', 'full');

let dir: string;
let receiver: WebhookReceiver;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'assay-webhook-'));
  writeSecret(SECRET);
  receiver = await WebhookReceiver.start();
});
afterEach(async () => {
  await receiver.stop();
  rmSync(dir, { recursive: true });
});

function writeSecret(secret: string, mode = 0o600): void {
  writeFileSync(join(dir, 'secret'), secret);
  chmodSync(join(dir, 'secret'), mode);
}

const sender = (over: { render?: typeof asJson; timeoutMs?: number } = {}) =>
  webhookSender({ url: receiver.url, secretFile: join(dir, 'secret'), render: asJson, timeoutMs: 2_000, ...over });

test('the body is the notification, signed so that the scheme’s own package and plain HMAC both say so', async () => {
  expect(await sender()(NOTIFICATION, 1)).toEqual({ kind: 'sent' });
  const [{ headers, body, path } = { headers: {}, body: '', path: '' }] = receiver.received;
  expect(path).toBe('/hook');
  expect(headers['content-type']).toBe('application/json');
  expect(JSON.parse(body)).toEqual(NOTIFICATION);
  const signed = {
    'webhook-id': String(headers['webhook-id']),
    'webhook-timestamp': String(headers['webhook-timestamp']),
    'webhook-signature': String(headers['webhook-signature']),
  };
  expect(new Webhook(SECRET).verify(body, signed)).toEqual(NOTIFICATION);
  const content = `${NOTIFICATION.id}.${signed['webhook-timestamp']}.${body}`;
  expect(signed['webhook-signature']).toBe(`v1,${createHmac('sha256', BYTES).update(content).digest('base64')}`);
  expect(Math.abs(Date.now() / 1000 - Number(signed['webhook-timestamp']))).toBeLessThan(60);
  expect(() => new Webhook(SECRET).verify(body.replace('QUARANTINED', 'SUCCEEDED'), signed)).toThrow();
});

test('the secret is read before each try, and nothing of it is in the request or in a reason', async () => {
  const send = sender();
  await send(NOTIFICATION, 1);
  const renewed = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
  writeSecret(renewed);
  await send(NOTIFICATION, 2);
  const [, second] = receiver.received;
  expect(new Webhook(renewed).verify(second?.body ?? '', second?.headers as Record<string, string>)).toBeTruthy();
  writeSecret('canary-not-a-secret-of-the-scheme');
  const outcome = await send(NOTIFICATION, 3);
  expect(outcome).toMatchObject({ kind: 'failed', final: false });
  expect(JSON.stringify([receiver.received, outcome])).not.toMatch(/canary|whsec_[A-Za-z0-9]/);
  expect(receiver.received).toHaveLength(2);
});

test.each([
  [200, { kind: 'sent' }],
  [202, { kind: 'sent' }],
  [301, { final: true, reason: 'answered 301: redirects are not followed' }],
  [307, { final: true }],
  [400, { final: true, reason: 'answered 400' }],
  [404, { final: true }],
  [410, { final: true, reason: 'answered 410: nobody listens there any more' }],
  [408, { final: false }],
  [429, { final: false, retryAfterMs: 120_000 }],
  [500, { final: false, reason: 'answered 500' }],
  [503, { final: false, retryAfterMs: 120_000 }],
])('an answer of %i', async (status, expected) => {
  const elsewhere = await WebhookReceiver.start();
  receiver.reply = { status, headers: { location: elsewhere.url, 'retry-after': '120' } };
  expect(await sender()(NOTIFICATION, 1)).toMatchObject(expected);
  expect([receiver.received.length, elsewhere.received.length]).toEqual([1, 0]);
  await elsewhere.stop();
});

test('who does not answer is left after the time-out, to be tried again', async () => {
  receiver.reply = 'hang';
  const start = Date.now();
  expect(await sender({ timeoutMs: 200 })(NOTIFICATION, 1)).toMatchObject({ kind: 'failed', final: false });
  expect(Date.now() - start).toBeLessThan(2_000);
});

test('nobody there is a failure that passes', async () => {
  const send = sender();
  await receiver.stop();
  expect(await send(NOTIFICATION, 1)).toMatchObject({ kind: 'failed', final: false });
  receiver = await WebhookReceiver.start();
});

test('a template makes the body, and foreign text stays inside its string', async () => {
  const render = templateOf('{"text": "{{event}}: {{message}}"}', 'json', ['run.ended']);
  await sender({ render })(NOTIFICATION, 1);
  expect(JSON.parse(receiver.received[0]?.body ?? '')).toEqual({ text: `run.ended: ${NOTIFICATION.message}` });
});
