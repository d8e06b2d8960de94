import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { ExpressAdapter } from '@nestjs/platform-express';

/** How an HTTP server listens, and what it puts up with. */
export interface HttpServing {
  /** PEM of a certificate (with its chain) and its key; null: plain HTTP, for a proxy or this machine alone. */
  readonly tls: { readonly cert: string; readonly key: string } | null;
  /** Time for the headers of a request to be there. */
  readonly headersTimeoutMs: number;
  /** Time for a whole request to be there, the largest body's. */
  readonly requestTimeoutMs: number;
  /** How often these two are looked at. */
  readonly checksEveryMs: number;
  /** Connections at a time; more are closed at once. */
  readonly maxConnections: number;
}

/** Express on a server with bounds that Nest's own adapter cannot set. */
export class HttpServerAdapter extends ExpressAdapter {
  constructor(private readonly serving: HttpServing) {
    super();
  }

  /** Called by Nest. */
  override initHttpServer(): void {
    const { tls, headersTimeoutMs, requestTimeoutMs, checksEveryMs, maxConnections } = this.serving;
    const bounds = {
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: checksEveryMs,
      // Node would answer by itself, unseen by whoever records calls: the edge refuses it.
      requireHostHeader: false,
    };
    const express = this.getInstance<Parameters<typeof createServer>[1] & object>();
    const server =
      tls === null
        ? createServer(bounds, express)
        : createTlsServer({ ...bounds, ...tls, minVersion: 'TLSv1.2' }, express);
    server.maxConnections = maxConnections;
    this.setHttpServer(server);
  }
}
