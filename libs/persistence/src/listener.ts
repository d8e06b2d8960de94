import { Client } from 'pg';

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 10_000;

export interface ListenOptions {
  /** Called when the connection is lost, before the first attempt to have it again. Must not throw. */
  readonly onLost?: (error: Error) => void;
}

/** A LISTEN on one channel over a connection of its own, which comes back by itself. */
export class Listener {
  private client: Client | null = null;
  private timer: NodeJS.Timeout | null = null;
  private waitMs = FIRST_WAIT_MS;
  private closed = false;

  private constructor(
    private readonly url: string,
    private readonly channel: string,
    private readonly onNotify: () => void,
    private readonly options: ListenOptions,
  ) {}

  /** Resolves when the server listens for us. Rejects with the driver's error when the first connection fails. */
  static async start(
    url: string,
    channel: string,
    onNotify: () => void,
    options: ListenOptions = {},
  ): Promise<Listener> {
    const listener = new Listener(url, channel, onNotify, options);
    await listener.connect();
    return listener;
  }

  /** Ends the connection; nothing is called after that. */
  async close(): Promise<void> {
    this.closed = true;
    if (this.timer !== null) clearTimeout(this.timer);
    const { client } = this;
    this.client = null;
    await client?.end();
  }

  private async connect(): Promise<void> {
    const client = new Client({
      connectionString: this.url,
      application_name: `assay-listen-${this.channel}`,
      connectionTimeoutMillis: 5_000,
      // A listener sends nothing: only the kernel's probes can tell that the other side is gone.
      keepAlive: true,
      keepAliveInitialDelayMillis: 15_000,
    });
    client.on('notification', () => {
      if (!this.closed) this.onNotify();
    });
    // Also keeps an error after `end` from ending the process.
    client.on('error', (error) => {
      this.lost(client, error);
    });
    client.on('end', () => {
      this.lost(client, new Error('the server closed the connection'));
    });
    try {
      await client.connect();
      await client.query(`listen ${client.escapeIdentifier(this.channel)}`);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    if (this.closed) return client.end();
    this.client = client;
    this.waitMs = FIRST_WAIT_MS;
  }

  private lost(client: Client, error: Error): void {
    if (this.closed || this.client !== client) return;
    this.client = null;
    this.options.onLost?.(error);
    this.reconnectLater();
  }

  private reconnectLater(): void {
    this.timer = setTimeout(() => {
      void this.connect().then(
        () => {
          // What was notified meanwhile is lost: whoever listens has to look.
          if (!this.closed) this.onNotify();
        },
        () => {
          if (!this.closed) this.reconnectLater();
        },
      );
    }, this.waitMs);
    this.waitMs = Math.min(this.waitMs * 2, LONGEST_WAIT_MS);
  }
}
