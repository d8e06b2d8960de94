import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_TIMINGS, Namespace, RunId, scaleTimings } from '@assay/contracts';
import { connectNats, JetStreamPublisher, type NatsLink, StreamProvisioner } from '@assay/messaging';
import { startService } from '@assay/service-kit';
import { eventually, TestNats, workKey } from '@assay/testing';
import pino from 'pino';
import { grader } from './grader';

/** What is refused is given back for 300 ms. */
const SCALE = 300 / DEFAULT_TIMINGS.refusedDelayMs;
const namespace = Namespace.parse('able');
const key = workKey(RunId.parse('run-1'), 'grade');

let nats: TestNats;
let link: NatsLink;
let dir: string;

beforeEach(async () => {
  nats = await TestNats.start();
  link = await connectNats({ url: nats.url, name: 'test', namespace });
  const timings = scaleTimings(SCALE);
  await new StreamProvisioner({ link, timings, logger: pino({ level: 'silent' }) }).lay();
  dir = await mkdtemp(join(tmpdir(), 'assay-grader-'));
});
afterEach(async () => {
  delete process.env['DOCKER_HOST'];
  await link.close();
  await nats.stop();
  await rm(dir, { recursive: true });
});

test('while the engine is away nothing is claimed and the message is given back; once it can work, it claims', async () => {
  let claims = 0;
  link.connection.subscribe(link.names.rpc('claim'), {
    callback: (_, message) => {
      claims += 1;
      message.respond(JSON.stringify({ answer: 'done' }));
    },
  });
  const logs: { msg?: string; err?: { message: string } }[] = [];
  const start = (sandboxes: string) =>
    startService(
      grader,
      {
        NATS_URL: nats.url,
        ASSAY_NAMESPACE: namespace,
        ASSAY_TIME_SCALE: String(SCALE),
        ASSAY_HTTP_PORT: '0',
        ASSAY_ARTIFACTS_DIR: join(dir, 'artifacts'),
        ASSAY_WORK_DIR: join(dir, 'work'),
        ASSAY_SANDBOXES: sandboxes,
      },
      { write: (line: string) => void logs.push(JSON.parse(line) as (typeof logs)[number]) },
    );
  process.env['DOCKER_HOST'] = 'unix:///nowhere/docker.sock';
  const unable = await start('docker');
  const publisher = new JetStreamPublisher(link);
  await publisher.publish(link.names.work(key), { key }, { messageId: 'one', traceparent: null });
  const refusals = () => logs.filter(({ msg }) => msg === 'Not able to work now; giving the message back unclaimed');
  await eventually(() => refusals().length >= 2);
  expect(refusals()[0]?.err?.message).toContain('/nowhere/docker.sock');
  expect(claims).toBe(0);
  expect((await fetch(`${unable.url}/readyz`)).status).toBe(503);
  await unable.stop();

  const able = await start('process');
  await eventually(() => claims === 1);
  await able.stop();
});
