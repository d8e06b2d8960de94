import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { UNLIMITED } from '../access/budget';
import type { GatewayOptions, OpenTrial, TrialRequest } from '../gateway/gateway-options';
import { ModelGateway } from '../gateway/model-gateway';
import { PriceList } from '../pricing/price-list';
import { readExchanges, type RecordedEvent } from '../record/read-exchanges';
import { startFaultyUpstream, type Answering, type FaultyUpstream } from './faulty-upstream';
import { ManualClock } from './manual-clock';

/** The real key of the tests: to be found nowhere but at the provider. */
export const CANARY_KEY = 'sk-canary/KEY+1f7c9a';

export const PRICES = new PriceList([{ model: 'm-*', prompt: 1, cached: 0.1, completion: 10 }]);

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly json: unknown;
}

export interface Asking {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

export interface OpenStream {
  readonly response: IncomingMessage;
  readonly received: () => string;
  /** Null: it goes on. */
  readonly end: () => 'whole' | 'cut' | null;
  readonly hangUp: () => void;
}

/** A gateway in front of a faulty provider, with time by hand. */
export class GatewayBench {
  readonly clock = new ManualClock();
  readonly secrets: string[] = [];
  private opened = 0;

  private constructor(
    readonly dir: string,
    readonly upstream: FaultyUpstream,
  ) {}

  gateway!: ModelGateway;

  static async start(otherwise: Answering, options: Partial<GatewayOptions> = {}): Promise<GatewayBench> {
    const dir = await mkdtemp(join(tmpdir(), 'assay-gateway-'));
    const upstream = await startFaultyUpstream(otherwise);
    const bench = new GatewayBench(dir, upstream);
    const keyFile = join(dir, 'key');
    await writeFile(keyFile, `${CANARY_KEY}\n`, { mode: 0o600 });
    bench.gateway = await ModelGateway.start({
      upstream: { baseUrl: upstream.url, keyFile },
      listen: { socketPath: join(dir, 'model.sock'), loopbackPort: null },
      spoolDir: join(dir, 'spool'),
      prices: PRICES,
      clock: bench.clock,
      random: () => 0,
      registerSecret: (secret) => bench.secrets.push(secret),
      ...options,
    });
    return bench;
  }

  get socketPath(): string {
    return join(this.dir, 'model.sock');
  }

  recordFile(key: string): string {
    return join(this.dir, `${key}.jsonl.gz`);
  }

  async open(change: Partial<TrialRequest> = {}): Promise<OpenTrial & { readonly key: string }> {
    this.opened += 1;
    const key = change.key ?? `trial-${this.opened}`;
    const trial = await this.gateway.open({ budgets: UNLIMITED, recordFile: this.recordFile(key), ...change, key });
    return { ...trial, key };
  }

  /** Asks for a chat completion, as a trial. */
  chat(trial: Pick<OpenTrial, 'token'>, body: object = {}, asking: Asking = {}): Promise<Reply> {
    return this.ask(trial, { ...asking, body: { model: 'm-1', messages: [{ role: 'user', content: 'Hi' }], ...body } });
  }

  ask({ token }: Pick<OpenTrial, 'token'>, asking: Asking = {}): Promise<Reply> {
    return this.raw({ ...asking, headers: { authorization: `Bearer ${token}`, ...asking.headers } });
  }

  raw({ path = '/v1/chat/completions', method = 'POST', headers = {}, body }: Asking): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const sent =
        body === undefined
          ? undefined
          : Buffer.isBuffer(body) || typeof body === 'string'
            ? body
            : JSON.stringify(body);
      const outgoing = request({
        socketPath: this.socketPath,
        path,
        method,
        headers: { 'content-type': 'application/json', ...headers },
      });
      outgoing.once('error', reject);
      outgoing.once('response', (response) => {
        buffer(response).then((bytes) => {
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: bytes, json: jsonOf(bytes) });
        }, reject);
      });
      outgoing.end(sent);
    });
  }

  /** Asks for a stream and leaves it open. */
  async stream({ token }: Pick<OpenTrial, 'token'>): Promise<OpenStream> {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const asking = request({ socketPath: this.socketPath, path: '/v1/chat/completions', method: 'POST', headers });
    asking.end('{"model":"m-1","stream":true}');
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      asking.once('response', resolve).once('error', reject);
    });
    const parts: Buffer[] = [];
    let ended: ReturnType<OpenStream['end']> = null;
    response
      .on('data', (part: Buffer) => parts.push(part))
      .once('end', () => (ended = 'whole'))
      .once('error', () => (ended = 'cut'));
    return {
      response,
      received: () => Buffer.concat(parts).toString(),
      end: () => ended,
      hangUp: () => asking.destroy(),
    };
  }

  async record(key: string): Promise<RecordedEvent[]> {
    const events: RecordedEvent[] = [];
    for await (const event of readExchanges(this.recordFile(key))) events.push(event);
    return events;
  }

  async stop(): Promise<void> {
    await this.gateway.stop();
    await this.upstream.close();
    await rm(this.dir, { recursive: true, force: true });
  }
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    return null;
  }
}
