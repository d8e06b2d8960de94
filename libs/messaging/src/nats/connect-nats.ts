import { connect } from '@nats-io/transport-node';
import type { Namespace } from '@assay/contracts';
import { InfraError } from '@assay/failures';
import { NatsLink } from './nats-link';

export interface ConnectOptions {
  /** `nats://host:port`, or several with commas between. */
  readonly url: string;
  /** Shown by the server's monitoring, e.g. the app's name. */
  readonly name: string;
  readonly namespace: Namespace;
  /** How long the first handshake may take. Milliseconds, default 5000. */
  readonly timeoutMs?: number;
  /** Shortest pause between two tries to connect again; up to as much is added at random. Milliseconds, default 1000. */
  readonly reconnectMs?: number;
}

/**
 * Connects to NATS and stays connected: after a loss it tries again for ever (the client's own default gives up after
 * ten tries).
 * @throws InfraError `nats_unreachable` when the first connection fails
 */
export async function connectNats(options: ConnectOptions): Promise<NatsLink> {
  const { url, name, namespace, timeoutMs = 5_000, reconnectMs = 1_000 } = options;
  try {
    const connection = await connect({
      servers: url.split(','),
      name,
      timeout: timeoutMs,
      maxReconnectAttempts: -1,
      reconnectTimeWait: reconnectMs,
      reconnectJitter: reconnectMs,
      reconnectJitterTLS: reconnectMs,
      pingInterval: 10_000,
    });
    return new NatsLink(connection, namespace);
  } catch (error) {
    throw new InfraError(`cannot connect to NATS at ${withoutCredentials(url)}: ${messageOf(error)}`, {
      code: 'nats_unreachable',
      phase: 'dispatch',
      details: { url: withoutCredentials(url) },
      cause: error,
    });
  }
}

function withoutCredentials(url: string): string {
  return url.replace(/\/\/[^/@]*@/g, '//');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
