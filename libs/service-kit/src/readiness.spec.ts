import { Module } from '@nestjs/common';
import { z } from 'zod';
import { commonConfig, Readiness, startService, type RunningService } from './index';

describe('a report', () => {
  test('is ready when the service serves and every probe is content', async () => {
    const readiness = new Readiness('grader');
    readiness.add('nats', () => true);
    readiness.add('database', () => Promise.resolve());
    expect(await readiness.report()).toMatchObject({ ready: false, phase: 'starting' });
    readiness.serving();
    expect(await readiness.report()).toEqual({
      ready: true,
      service: 'grader',
      phase: 'serving',
      probes: { nats: 'ok', database: 'ok' },
    });
    readiness.stopping();
    expect(await readiness.report()).toMatchObject({ ready: false, phase: 'stopping' });
  });

  test('says which probe is down and why, without secrets', async () => {
    const readiness = new Readiness('grader');
    readiness.serving();
    readiness.add('nats', () => true);
    readiness.add('database', () => Promise.reject(new Error('no answer from postgres://me:hunter2@db/x')));
    readiness.add('disk', () => {
      throw new Error('full');
    });
    expect(await readiness.report()).toMatchObject({
      ready: false,
      probes: { nats: 'ok', database: 'down: no answer from postgres://me:[redacted]@db/x', disk: 'down: full' },
    });
  });

  test('does not wait for a probe that hangs', async () => {
    const readiness = new Readiness('grader');
    readiness.serving();
    readiness.add('nats', () => new Promise(() => undefined));
    expect((await readiness.report()).probes).toEqual({ nats: 'down: no answer within 2000 ms' });
  });

  test('takes the newest probe of a name', async () => {
    const readiness = new Readiness('grader');
    readiness.serving();
    readiness.add('nats', () => Promise.reject(new Error('old')));
    readiness.add('nats', () => true);
    expect((await readiness.report()).ready).toBe(true);
  });
});

@Module({})
class Empty {}

describe('over HTTP', () => {
  let service: RunningService;
  beforeEach(async () => {
    service = await startService(
      { name: 'grader', config: z.object(commonConfig('grader')), module: () => Empty },
      { NATS_URL: 'nats://127.0.0.1:1', ASSAY_HTTP_PORT: '0', ASSAY_ARTIFACTS_DIR: '/nowhere' },
      { write: () => undefined },
    );
  });
  afterEach(() => service.stop());

  test('/readyz is 503 with the names of what is down, /livez is not concerned', async () => {
    service.readiness.add('nats', () => Promise.reject(new Error('gone')));
    const ready = await fetch(`${service.url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([
      503,
      { ready: false, service: 'grader', phase: 'serving', probes: { nats: 'down: gone' } },
    ]);
    const live = await fetch(`${service.url}/livez`);
    expect([live.status, await live.json()]).toEqual([200, { alive: true }]);
  });

  test('/readyz is 200 again when it is back', async () => {
    let up = false;
    service.readiness.add('nats', () => (up ? true : Promise.reject(new Error('gone'))));
    expect((await fetch(`${service.url}/readyz`)).status).toBe(503);
    up = true;
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  });

  test('two stops are one', async () => {
    await Promise.all([service.stop(), service.stop()]);
    await expect(fetch(`${service.url}/livez`)).rejects.toThrow();
  });
});
