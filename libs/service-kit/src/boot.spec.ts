import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ProbeProcess } from './harness/probe-process';

const started: ProbeProcess[] = [];
function start(env: Record<string, string> = {}): ProbeProcess {
  const probe = ProbeProcess.start(env);
  started.push(probe);
  return probe;
}
afterEach(() => {
  for (const probe of started.splice(0)) probe.signal('SIGKILL');
});

describe('a start that fails is one message and an exit code:', () => {
  test('all wrong settings in one message, exit 78', async () => {
    const { code, stderr, said } = await start({ NATS_URL: 'http://x', ASSAY_HTTP_PORT: 'many' }).ended();
    expect(code).toBe(78);
    expect(stderr.split('\n')).toEqual([
      'assay grader: 2 settings are wrong:',
      '  NATS_URL: expected one or more NATS URLs (nats://host:port) separated by commas, got "http://x"',
      '  ASSAY_HTTP_PORT: expected a port from 0 to 65535, got "many"',
      '',
    ]);
    expect(said).toEqual([]);
  });

  test('a taken port is named with its variable, exit 1', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { code, stderr } = await start({ ASSAY_HTTP_PORT: String(port) }).ended();
    other.close();
    expect([code, stderr]).toEqual([
      1,
      `assay grader: port ${port} on 127.0.0.1 is taken: set ASSAY_HTTP_PORT to another, or to 0 for any\n`,
    ]);
  });

  test('a server that is away is named with its variable and without its password, exit 1', async () => {
    const { code, stderr, said } = await start({ PROBE_FAULT: 'unreachable' }).ended();
    expect([code, stderr]).toEqual([
      1,
      'assay grader: cannot reach PostgreSQL at 127.0.0.1:1 (DATABASE_URL): connect ECONNREFUSED 127.0.0.1:1\n',
    ]);
    expect(said).toEqual([]);
  });

  test('a module that cannot be built, exit 1', async () => {
    const { code, stderr } = await start({ PROBE_FAULT: 'broken-module' }).ended();
    expect([code, stderr]).toEqual([1, 'assay grader: a module that cannot be built\n']);
  });

  test('a transport that cannot listen, exit 1, with the modules closed', async () => {
    const { code, stderr, said } = await start({ PROBE_FAULT: 'broken-transport' }).ended();
    expect([code, stderr]).toEqual([1, 'assay grader: no stream for the transport\n']);
    expect(said).toContain('module destroyed');
    expect(said).not.toContain('service started');
  });
});

describe('a stop', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    'on %s closes the transport first, lets a request end, closes the modules and exits 0',
    async (signal) => {
      const probe = start();
      const answer = fetch(`${await probe.url()}/slow`);
      await probe.until('slow request begun');
      probe.signal(signal);
      expect(await (await answer).text()).toBe('whole');
      const { code, said, stderr } = await probe.ended();
      expect([code, stderr]).toEqual([0, '']);
      const order = ['service stopping', 'transport closed', 'module destroyed', 'service stopped'];
      expect(said.filter((sentence) => order.includes(sentence))).toEqual(order);
      expect(said.indexOf('request served')).toBeLessThan(said.indexOf('service stopped'));
    },
  );

  test('a connection that idles does not hold it up', async () => {
    const probe = start();
    await (await fetch(`${await probe.url()}/livez`)).text();
    probe.signal('SIGTERM');
    expect((await probe.ended()).code).toBe(0);
  });

  test('that takes longer than its grace ends by force, with one line and exit 1', async () => {
    const probe = start({ PROBE_FAULT: 'stuck', ASSAY_STOP_GRACE_MS: '300' });
    await probe.url();
    probe.signal('SIGTERM');
    const { code, said } = await probe.ended();
    expect(code).toBe(1);
    expect(said.at(-1)).toBe('service did not stop within its grace period');
  });

  test('a second signal ends it at once', async () => {
    const probe = start({ PROBE_FAULT: 'stuck', ASSAY_STOP_GRACE_MS: '600000' });
    await probe.url();
    probe.signal('SIGTERM');
    await probe.until('transport closed');
    probe.signal('SIGTERM');
    expect((await probe.ended()).code).toBe(1);
  });

  test('a transport that fails at its close does not keep the rest from being closed, exit 1', async () => {
    const probe = start({ PROBE_FAULT: 'hasty-transport' });
    await probe.url();
    probe.signal('SIGTERM');
    const { code, said } = await probe.ended();
    expect(code).toBe(1);
    expect(said).toEqual(expect.arrayContaining(['module destroyed', 'service failed while stopping']));
  });
});

test.each(['reject', 'throw'])('an error that nobody caught (%s) is one log line and exit 1', async (path) => {
  const probe = start();
  // The process may be gone before its answer is.
  await fetch(`${await probe.url()}/${path}`).catch(() => undefined);
  expect((await probe.ended()).code).toBe(1);
  const fatal = probe.lines.filter((line) => line['level'] === 'fatal');
  expect(fatal).toMatchObject([
    {
      msg: 'service ends because of an error that nobody caught',
      err: { message: expect.stringContaining('nobody caught') as string },
    },
  ]);
});
