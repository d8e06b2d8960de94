import { eventually, withTempDir } from '@assay/testing';
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { chatStream } from '../harness/replies';
import { stream } from '../harness/faulty-upstream';
import { GatewayBench } from '../harness/gateway-bench';
import { FORWARDER_FILE } from './forwarder-file';

const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  }
});

interface Forwarder {
  readonly child: ChildProcess;
  readonly port: number;
}

function run(...args: string[]): ChildProcess {
  const child = spawn(process.execPath, [FORWARDER_FILE, ...args], { env: {}, stdio: ['pipe', 'pipe', 'pipe'] });
  children.push(child);
  return child;
}

async function forwarderTo(socketPath: string): Promise<Forwarder> {
  const child = run('0', socketPath);
  let said = '';
  child.stdout?.on('data', (part: Buffer) => (said += part.toString()));
  await eventually(() => /^ready \d+\n$/.test(said), { what: 'the forwarder' });
  return { child, port: Number(/\d+/.exec(said)?.[0]) };
}

async function ended(child: ChildProcess): Promise<{ code: number | null; said: string }> {
  const said = child.stderr === null ? '' : (await buffer(child.stderr)).toString();
  if (child.exitCode === null) await once(child, 'exit');
  return { code: child.exitCode, said };
}

test('a request to its port comes out of the gateway’s socket, and the stream comes back', async () => {
  const pieces = chatStream({ prompt: 3, completion: 2 });
  const bench = await GatewayBench.start(stream(pieces));
  try {
    const { port } = await forwarderTo(bench.socketPath);
    const trial = await bench.open();
    for (let n = 0; n < 3; n += 1) {
      const reply = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${trial.token}` },
        body: '{"model":"m-1","stream":true}',
      });
      expect(await reply.text()).toBe(pieces.join(''));
    }
    expect(await trial.close()).toMatchObject({ calls: 3, completedExchanges: 3 });
  } finally {
    await bench.stop();
  }
});

describe('with a socket of a plain server behind it', () => {
  let server: Server;
  let accepted: Socket[];
  beforeEach(() => {
    accepted = [];
    server = createServer({ allowHalfOpen: true }, (socket) => {
      socket.on('error', () => undefined);
      accepted.push(socket);
    });
  });
  afterEach(() => {
    for (const socket of accepted) socket.destroy();
    server.close();
  });

  async function both(work: (forwarder: Forwarder) => Promise<void>): Promise<void> {
    await withTempDir(async (dir) => {
      server.listen(join(dir, 's'));
      await once(server, 'listening');
      await work(await forwarderTo(join(dir, 's')));
    });
  }

  test('bytes pass both ways unchanged, and one direction may end before the other', () =>
    both(async ({ port }) => {
      const sent = randomBytes(3_000_000);
      const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      client.end(sent);
      await eventually(() => accepted.length === 1);
      const arrived: Buffer[] = [];
      accepted[0]!.on('data', (part: Buffer) => arrived.push(part));
      await once(accepted[0]!, 'end');
      expect(Buffer.concat(arrived).equals(sent)).toBe(true);
      const back = randomBytes(3_000_000);
      accepted[0]!.end(back);
      expect((await buffer(client)).equals(back)).toBe(true);
    }));

  test('a side that is cut takes the other with it', () =>
    both(async ({ port }) => {
      const client = connect(port, '127.0.0.1');
      const closed = new Promise((resolve) => client.on('error', () => undefined).once('close', resolve));
      client.write('x');
      client.resume();
      await eventually(() => accepted.length === 1);
      accepted[0]!.destroy();
      await closed;

      const second = connect(port, '127.0.0.1');
      second.write('x');
      await eventually(() => accepted.length === 2);
      const gone = once(accepted[1]!, 'end');
      accepted[1]!.resume();
      second.resetAndDestroy();
      await gone;
    }));

  test('a slow reader slows the writer down', () =>
    both(async ({ port }) => {
      const client = connect(port, '127.0.0.1');
      client.pause();
      client.write('x');
      await eventually(() => accepted.length === 1);
      const piece = Buffer.alloc(1 << 20);
      let written = 0;
      const pump = (): void => {
        do written += 1;
        while (accepted[0]!.write(piece) && written < 200);
      };
      accepted[0]!.on('drain', pump);
      pump();
      let last = 0;
      let still = 0;
      await eventually(() => {
        still = written === last ? still + 1 : 0;
        last = written;
        return still > 10;
      });
      expect(written).toBeLessThan(30);
      client.destroy();
    }));

  test('only so many connections are held', () =>
    both(async ({ port }) => {
      let closed = 0;
      const clients = Array.from({ length: 300 }, () =>
        connect(port, '127.0.0.1')
          .on('error', () => undefined)
          .on('close', () => (closed += 1)),
      );
      await eventually(() => accepted.length + closed === 300);
      expect(accepted.length).toBe(256);
      for (const client of clients) client.destroy();
    }));
});

test('a connection while nobody listens on the socket is cut, and the forwarder lives on', async () => {
  const { port, child } = await forwarderTo('/nowhere/at/all.sock');
  for (let n = 0; n < 2; n += 1) {
    const client = connect(port, '127.0.0.1').on('error', () => undefined);
    await new Promise((resolve) => client.once('close', resolve));
  }
  expect(child.exitCode).toBeNull();
});

test('it ends with 0 when its standard input closes, and on SIGTERM, open connections or not', async () => {
  const first = await forwarderTo('/nowhere.sock');
  first.child.stdin?.end();
  expect(await ended(first.child)).toEqual({ code: 0, said: '' });
  const second = await forwarderTo('/nowhere.sock');
  second.child.kill('SIGTERM');
  expect(await ended(second.child)).toEqual({ code: 0, said: '' });
});

test.each([
  [[], '<port> is "", expected a number from 0 to 65535'],
  [['x', '/s'], '<port> is "x", expected a number from 0 to 65535'],
  [['65536', '/s'], '<port> is "65536", expected a number from 0 to 65535'],
  [['8080'], '<socket> is missing, expected the path of a Unix socket'],
  [['8080', '/s', 'more'], 'unexpected "more"'],
])('wrong usage %j ends with 2 and says what is wrong', async (args, problem) => {
  expect(await ended(run(...args))).toEqual({
    code: 2,
    said: `${problem}\nusage: node forwarder.cjs <port> <socket>\n`,
  });
});

test('a port that is taken ends it with 1', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  expect(await ended(run(String(port), '/s'))).toMatchObject({
    code: 1,
    said: expect.stringContaining(`cannot listen on 127.0.0.1:${port}`) as string,
  });
  taken.close();
});
