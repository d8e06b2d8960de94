import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { ExitError, UsageError } from '../output';
import { givenServers } from './given-servers';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A server that greets; resolves with its host and port. */
async function greeting(text: string): Promise<string> {
  const server = createServer((socket) => socket.on('error', () => undefined).end(text)).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function refusal(env: Record<string, string>): Promise<string> {
  const error = await givenServers(env).catch((caught: unknown) => caught);
  if (error instanceof UsageError || error instanceof ExitError) return error.message;
  throw new Error('expected a refusal');
}

const JETSTREAM = 'INFO {"server_id":"x","jetstream":true} \r\n';

test('nothing set, or set to nothing, means embedded servers', async () => {
  expect(await givenServers({})).toEqual({ databaseUrl: null, natsUrl: null });
  expect(await givenServers({ DATABASE_URL: '', NATS_URL: '' })).toEqual({ databaseUrl: null, natsUrl: null });
});

test('servers that answer are taken as they were named', async () => {
  const env = {
    DATABASE_URL: `postgres://me:secret@${await greeting('')}/assay`,
    NATS_URL: `nats://127.0.0.1:1,nats://${await greeting(JETSTREAM)}`,
  };
  expect(await givenServers(env)).toEqual({ databaseUrl: env.DATABASE_URL, natsUrl: env.NATS_URL });
});

test.each([
  ['DATABASE_URL', 'mysql://localhost/x', 'a URL that begins with postgres:// or postgresql://'],
  ['DATABASE_URL', 'localhost:5432', 'a URL that begins with postgres:// or postgresql://'],
  ['DATABASE_URL', 'postgres:///x', 'a URL that begins with postgres:// or postgresql://'],
  ['NATS_URL', 'localhost', 'a URL that begins with nats:// or tls:// or ws:// or wss://'],
  ['NATS_URL', 'nats://a:4222,http://b', 'a URL that begins with nats:// or tls:// or ws:// or wss://'],
])('%s=%s is refused', async (name, value, expected) => {
  expect(await refusal({ [name]: value })).toMatch(new RegExp(`^${name}: expected ${expected}, got "[^"]*"$`));
});

test('a wrong value is wrong usage, a server that is away is a failure', async () => {
  await expect(givenServers({ DATABASE_URL: 'x' })).rejects.toThrow(UsageError);
  await expect(givenServers({ NATS_URL: 'x' })).rejects.toThrow(UsageError);
  await expect(givenServers({ ASSAY_NATS_SERVER: '/nowhere' })).rejects.toThrow(UsageError);
  await expect(givenServers({ DATABASE_URL: 'postgres://127.0.0.1:1/x' })).rejects.toMatchObject({ code: 1 });
  await expect(givenServers({ NATS_URL: 'nats://127.0.0.1:1' })).rejects.toMatchObject({ code: 1 });
});

test('a server that is away is named by variable, value without password, and reason', async () => {
  expect(await refusal({ DATABASE_URL: 'postgres://me:secret@127.0.0.1:1/x' })).toBe(
    'DATABASE_URL: expected a PostgreSQL that answers, got "postgres://***@127.0.0.1:1/x" (ECONNREFUSED)',
  );
  expect(await refusal({ NATS_URL: 'nats://me:secret@127.0.0.1:1,nats://127.0.0.1:2' })).toBe(
    'NATS_URL: expected a NATS server that answers, with JetStream, got "nats://***@127.0.0.1:1,nats://127.0.0.1:2" (ECONNREFUSED)',
  );
});

test.each([
  'postgres://me:canary@127.0.0.1:1/x',
  'postgres://me:c,can/ary@canary@[::1/x',
  'postgres//me:canary@host',
  'postgres://127.0.0.1:1/x?user=me&password=canary',
])('no password is shown of %s', async (value) => {
  const message = await refusal({ DATABASE_URL: value });
  expect(message).toContain('***');
  expect(message).not.toContain('canary');
});

test('a NATS server without JetStream, and something that is no NATS server, are told apart', async () => {
  const off = `nats://${await greeting('INFO {"server_id":"x"} \r\n')}`;
  expect(await refusal({ NATS_URL: off })).toContain(`got "${off}" (its JetStream is off)`);
  const other = `nats://${await greeting('SSH-2.0-OpenSSH_9.2\r\n')}`;
  expect(await refusal({ NATS_URL: other })).toContain('(what answers there is no NATS server)');
});
