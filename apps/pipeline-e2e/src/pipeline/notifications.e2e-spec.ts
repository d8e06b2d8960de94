import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { RunRecord } from '@assay/contracts';
import { eventually } from '@assay/testing';
import { Webhook } from 'standardwebhooks';
import { REPOSITORY, scratchFolder, TestDeployment } from '../harness/deployment';
import { writeSuite } from '../harness/suite-builder';

// Notifications through all services: a publisher that is killed between a webhook and its record repeats it, with the
// same id; an issue gets its comment; the record shows both.

const SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;

interface Received {
  readonly headers: Record<string, string>;
  readonly body: string;
}

let scratch: Awaited<ReturnType<typeof scratchFolder>>;
let deployment: TestDeployment;
const received: Received[] = [];
let silent = true;
const hook = createServer((request, response) => {
  void text(request).then((body) => {
    received.push({ headers: request.headers as Record<string, string>, body });
    // While it is silent the publisher waits, and is killed.
    if (!silent) response.writeHead(204).end();
  });
});

beforeAll(async () => {
  scratch = await scratchFolder();
  await writeSuite(scratch.dir, { name: 'quick', agent: 'oracle', tasks: [{ id: 'a' }] });
  hook.listen(0, '127.0.0.1');
  await once(hook, 'listening');
  const file = join(scratch.dir, 'targets');
  await writeFile(join(scratch.dir, 'hook-secret'), SECRET, { mode: 0o600 });
  await writeFile(
    file,
    [
      'schema: assay.notifications/1',
      `webhooks: [{ name: hook, url: "http://127.0.0.1:${(hook.address() as AddressInfo).port}/", secretFile: hook-secret, events: [run.ended] }]`,
      `issues: [{ name: issue, repository: ${REPOSITORY}, issue: 3, events: [run.ended] }]`,
    ].join('\n'),
  );
  deployment = await TestDeployment.start({ suitesDir: scratch.dir, env: { ASSAY_NOTIFICATIONS_FILE: file } });
  await fetch(`${deployment.githubUrl}/_standin/issues`, {
    method: 'POST',
    body: JSON.stringify({ repository: REPOSITORY, issue: 3 }),
  });
}, 120_000);
afterAll(async () => {
  await deployment.stop();
  hook.closeAllConnections();
  hook.close();
  await scratch.remove();
});

test('a killed publisher’s webhook is sent again with the same id, and its comment is there once', async () => {
  const { runId } = await deployment.submit({ suite: 'quick' });
  await eventually(() => Promise.resolve(received.length > 0), { timeoutMs: 60_000, what: 'the first webhook' });
  await deployment.service('publisher').end('SIGKILL');
  const first = received.at(-1);
  silent = false;
  await deployment.add('publisher');

  const recordOf = async (): Promise<RunRecord> =>
    RunRecord.parse((await deployment.call('GET', `/v1/runs/${runId}/record`)).body);
  await eventually(async () => (await recordOf()).notifications.every(({ state }) => state === 'SENT'), {
    timeoutMs: 60_000,
    what: 'both targets to be told',
  });
  const { notifications } = await recordOf();
  expect(notifications.map(({ target, event }) => [target, event])).toEqual([
    ['hook', 'run.ended'],
    ['issue', 'run.ended'],
  ]);
  expect(notifications[0]?.tries).toBeGreaterThan(1);

  const last = received.at(-1);
  expect(last).not.toBe(first);
  expect(last?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
  expect(last?.body).toBe(first?.body);
  expect(new Webhook(SECRET).verify(last?.body ?? '', last?.headers ?? {})).toMatchObject({
    event: 'run.ended',
    run: { id: runId, state: 'SUCCEEDED' },
  });
  const comments = await deployment.github<{ body: string }[]>('GET', `/repos/${REPOSITORY}/issues/3/comments`);
  expect(comments.filter(({ body }) => body.includes(runId))).toHaveLength(1);
  expect(received.map(({ body }) => body).join('')).not.toContain(SECRET);
}, 180_000);
