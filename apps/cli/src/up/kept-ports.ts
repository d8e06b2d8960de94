import { once } from 'node:events';
import { createServer } from 'node:net';
import type { StateFolder } from './state-folder';

const FILE = 'ports.json';

/**
 * Ports that stay the same over restarts: what an earlier run wrote into a release holds addresses of the stand-in of
 * GitHub. One that somebody else has meanwhile is replaced by a free one, and a line says so.
 */
export class KeptPorts {
  constructor(
    private readonly state: StateFolder,
    private readonly freePort: () => Promise<number>,
    private readonly note: (line: string) => void,
  ) {}

  /** @param what in words, e.g. `the stand-in of GitHub` */
  async portOf(name: string, what: string): Promise<number> {
    const kept = this.state.numbers(FILE)[name];
    if (kept !== undefined && (await isFree(kept))) return kept;
    const port = await this.freePort();
    this.state.write(FILE, JSON.stringify({ ...this.state.numbers(FILE), [name]: port }));
    if (kept !== undefined) {
      this.note(
        `port ${kept} of ${what} is taken: it is on ${port} now, and earlier addresses of it no longer lead there`,
      );
    }
    return port;
  }
}

/** False also for what is no port. */
async function isFree(port: number): Promise<boolean> {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return false;
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
    return true;
  } catch {
    return false;
  }
}
