import { jetstream, jetstreamManager, type JetStreamClient, type JetStreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/nats-core';
import { names, type Namespace, type Names } from '@assay/contracts';

/**
 * One connection to NATS together with the names of its deployment. Nest closes it after the microservice strategies
 * (`onApplicationShutdown`), so verbs of a last moment still get out.
 */
export class NatsLink {
  readonly names: Names;
  readonly jetstream: JetStreamClient;
  private up = true;
  private readonly disconnected = new Set<() => void>();
  private readonly reconnected = new Set<() => void>();

  /** @param connection a connection of @nats-io, which only this library may load */
  constructor(
    readonly connection: NatsConnection,
    readonly namespace: Namespace,
  ) {
    this.names = names(namespace);
    this.jetstream = jetstream(connection);
    void this.watch();
  }

  /** False from a lost connection until the next one, and after `close`. */
  get connected(): boolean {
    return this.up && !this.connection.isClosed();
  }

  /** Version of the server, e.g. `2.10.27`; null while there is no connection. */
  get serverVersion(): string | null {
    return this.connected ? (this.connection.info?.version ?? null) : null;
  }

  /** Calls back at every loss of the connection. Answers a function that ends this. */
  onDisconnect(callback: () => void): () => void {
    this.disconnected.add(callback);
    return () => this.disconnected.delete(callback);
  }

  /** Calls back at every new connection after a loss. Answers a function that ends this. */
  onReconnect(callback: () => void): () => void {
    this.reconnected.add(callback);
    return () => this.reconnected.delete(callback);
  }

  /** The JetStream management API. Asks nothing of the server. */
  manager(): Promise<JetStreamManager> {
    return jetstreamManager(this.connection, { checkAPI: false });
  }

  /**
   * Resolves when the server has all that was sent before, subscriptions included. A connection that is lost meanwhile is
   * waited for: each dial ends the flush before it, and the next connection begins with every subscription.
   * @throws the client's error once the connection is closed
   */
  async flushed(): Promise<void> {
    for (;;) {
      try {
        await this.connection.flush();
        return;
      } catch (error) {
        if (this.connection.isClosed()) throw error;
      }
    }
  }

  /** Sends what is buffered, then closes. Closing twice is closing once. */
  async close(): Promise<void> {
    if (this.connection.isClosed() || this.connection.isDraining()) return;
    if (this.up) await this.connection.drain();
    else await this.connection.close();
  }

  /** Called by Nest. */
  async onApplicationShutdown(): Promise<void> {
    await this.close();
  }

  private async watch(): Promise<void> {
    for await (const status of this.connection.status()) {
      if (status.type === 'disconnect' || status.type === 'close') this.changeTo(false);
      if (status.type === 'reconnect') this.changeTo(true);
    }
  }

  private changeTo(up: boolean): void {
    if (this.up === up) return;
    this.up = up;
    for (const callback of up ? this.reconnected : this.disconnected) callback();
  }
}
