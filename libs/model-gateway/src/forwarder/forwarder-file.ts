import { join } from 'node:path';

/**
 * The sidecar's program: `node forwarder.cjs <port> <socket>` passes connections on 127.0.0.1:<port> to the gateway's
 * socket. It needs Node and nothing else, prints `ready <port>` once it listens, and ends when its standard input closes
 * or on SIGTERM. To be mounted read-only into the container whose network namespace the agent's joins.
 */
export const FORWARDER_FILE = join(__dirname, '../../bin/forwarder.cjs');
