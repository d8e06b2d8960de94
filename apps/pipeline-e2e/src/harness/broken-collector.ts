import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A collector of telemetry that is no help: it answers every second request with 500 and leaves the others hanging. */
export class BrokenCollector {
  private asked = 0;

  private constructor(private readonly server: ReturnType<typeof createServer>) {
    server.on('request', (_, response) => {
      this.asked += 1;
      if (this.asked % 2 === 1) response.writeHead(500).end('broken');
    });
  }

  static async start(): Promise<BrokenCollector> {
    const server = createServer();
    const collector = new BrokenCollector(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return collector;
  }

  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Requests that were refused or left hanging so far. */
  get requests(): number {
    return this.asked;
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }
}
