import { connect } from 'node:net';
import { ExitError, UsageError } from '../output';

/** Servers that the environment names; null: an embedded one takes its place. */
export interface GivenServers {
  readonly databaseUrl: string | null;
  /** One address, or several separated by commas. */
  readonly natsUrl: string | null;
}

const ANSWER_MS = 5_000;
const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  ...{ 'postgres:': 5432, 'postgresql:': 5432 },
  ...{ 'nats:': 4222, 'tls:': 4222, 'ws:': 80, 'wss:': 443 },
};

/**
 * DATABASE_URL and NATS_URL, each checked: an address of the right kind behind which a server answers. Without NATS_URL,
 * ASSAY_NATS_SERVER is checked in its place. An empty variable counts as absent. Throws UsageError for a wrong value and
 * ExitError for a server that does not answer, each naming variable, value (without password) and what was expected.
 */
export async function givenServers(env: NodeJS.ProcessEnv): Promise<GivenServers> {
  const databaseUrl = env['DATABASE_URL'] || null;
  const natsUrl = env['NATS_URL'] || null;
  if (databaseUrl !== null) await requirePostgres(databaseUrl);
  await (natsUrl === null ? requireEmbeddedNats(env) : requireNats(natsUrl));
  return { databaseUrl, natsUrl };
}

async function requirePostgres(value: string): Promise<void> {
  const reason = await silence(addressOf('DATABASE_URL', value, ['postgres', 'postgresql']));
  if (reason === null) return;
  throw new ExitError(1, complaint('DATABASE_URL', 'a PostgreSQL that answers', value, reason));
}

/** A cluster is up while one of its servers is. */
async function requireNats(value: string): Promise<void> {
  const urls = value.split(',').map((part) => addressOf('NATS_URL', part.trim(), ['nats', 'tls', 'ws', 'wss']));
  const reasons = await Promise.all(urls.map(silence));
  const [first = null] = reasons;
  if (first === null || reasons.includes(null)) return;
  throw new ExitError(1, complaint('NATS_URL', 'a NATS server that answers, with JetStream', value, first));
}

/** Asked early, because the search for a server comes late. */
async function requireEmbeddedNats(env: NodeJS.ProcessEnv): Promise<void> {
  const { givenNatsServer } = await import('@assay-tools/embedded/nats');
  await givenNatsServer(env).catch((error: unknown) => {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  });
}

function addressOf(name: string, text: string, protocols: readonly string[]): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && protocols.includes(url.protocol.slice(0, -1)) && url.hostname !== '') return url;
  const expected = `a URL that begins with ${protocols.map((protocol) => `${protocol}://`).join(' or ')}`;
  throw new UsageError(complaint(name, expected, text, null));
}

/** Name, expectation and value, without a password that is in it. */
function complaint(name: string, expected: string, value: string, reason: string | null): string {
  const shown = value.replace(/^([a-z]+:\/\/)?.*@/i, '$1***@').replace(/(password=)[^&]*/gi, '$1***');
  const because = reason === null ? '' : ` (${reason})`;
  return `${name}: expected ${expected}, got ${JSON.stringify(shown)}${because}`;
}

/** Null where a server answers (one of NATS with a greeting that tells of JetStream), else why not, in a word. */
function silence({ protocol, hostname, port }: URL): Promise<string | null> {
  // Over TLS the greeting may come after the handshake only.
  const greets = protocol === 'nats:';
  return new Promise((resolve) => {
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    const socket = connect({ host, port: Number(port) || (DEFAULT_PORTS[protocol] ?? 0) });
    const end = (reason: string | null): void => {
      socket.destroy();
      resolve(reason);
    };
    socket.setTimeout(ANSWER_MS, () => {
      end(`no answer within ${ANSWER_MS / 1000} s`);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      end(error.code ?? error.message);
    });
    socket.once('connect', () => {
      if (!greets) end(null);
    });
    socket.once('data', (greeting) => {
      end(jetStreamOf(greeting.toString('utf8')));
    });
  });
}

function jetStreamOf(greeting: string): string | null {
  if (!greeting.startsWith('INFO {')) return 'what answers there is no NATS server';
  return greeting.includes('"jetstream":true') ? null : 'its JetStream is off';
}
