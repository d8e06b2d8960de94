import { DispatchRequest, type DispatchReply, type ErrorReply, Receipt, RunId } from '@assay/contracts';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly path: string;
  readonly key: string;
  readonly contentType: string;
  readonly token: string;
  readonly body: unknown;
}

/** How one request is answered in place of the usual way. */
export type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/**
 * Speaks `POST /v1/releases` as the dispatcher does: takes each token once and only with the audience `assay`, starts
 * one run per idempotency key, answers with receipts. `next` answers of a test come first.
 */
export class DispatcherDouble {
  readonly received: Received[] = [];
  readonly runs = new Map<string, string>();
  readonly next: Answer[] = [];
  /** What makes a release be skipped; null: it is run. */
  skip: { readonly rule: string | null; readonly reason: string } | null = null;
  private readonly tokens = new Set<string>();

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(tls?: { readonly key: string; readonly cert: string }): Promise<DispatcherDouble> {
    const listener: { on: RequestListener } = { on: () => undefined };
    const answer: RequestListener = (request, response) => {
      listener.on(request, response);
    };
    const server = (tls === undefined ? createServer(answer) : createTlsServer(tls, answer)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const double = new DispatcherDouble(server, `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`);
    listener.on = (request, response) => void double.handle(request, response);
    return double;
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const received = {
      path: `${request.method ?? ''} ${request.url ?? ''}`,
      key: String(request.headers['idempotency-key']),
      contentType: String(request.headers['content-type']),
      token: (request.headers.authorization ?? '').replace(/^Bearer /, ''),
      body: JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown,
    };
    this.received.push(received);
    const scripted = this.next.shift();
    if (scripted !== undefined) scripted(response, request);
    else this.decide(received, response);
  }

  private decide({ token, key, body }: Received, response: ServerResponse): void {
    const problem = this.problemOf(token);
    if (problem !== null) {
      json(response, 401, { statusCode: 401, error: 'Unauthorized', message: problem, errors: [] });
      return;
    }
    const request = DispatchRequest.parse(body);
    if (this.skip !== null) {
      const skipped: DispatchReply = { schemaVersion: 'assay.receipt/1', status: 'SKIPPED', ...this.skip };
      json(response, 200, skipped);
      return;
    }
    const known = this.runs.get(key);
    const runId = known ?? `run-${this.runs.size + 1}`;
    this.runs.set(key, runId);
    json(response, 202, receiptOf(request, { runId, deduplicated: known !== undefined }));
  }

  private problemOf(token: string): string | null {
    if (this.tokens.has(token)) return 'this token was used before';
    this.tokens.add(token);
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { aud?: unknown };
    return claims.aud === 'assay' ? null : 'the token is for somebody else';
  }
}

export function receiptOf(request: DispatchRequest, run: { runId: string; deduplicated: boolean }): Receipt {
  return Receipt.parse({
    schemaVersion: 'assay.receipt/1',
    status: run.deduplicated ? 'RUNNING' : 'WAITING',
    runId: RunId.parse(run.runId),
    runUrl: `/v1/runs/${run.runId}`,
    deduplicated: run.deduplicated,
    releaseTag: request.releaseTag,
    evaluatedRef: request.evaluatedRef ?? request.releaseTag,
    commit: null,
    suite: request.suite ?? 'verified',
    rule: 'stable',
    expectedInstances: request.limit ?? 500,
    chain: [{ suite: 'terminal_bench_2', status: 'PENDING', expectedInstances: request.chainLimit ?? null }],
  });
}

/** An error reply of the dispatcher's form. */
export function refusal(
  statusCode: number,
  message: string,
  headers: Record<string, string> = {},
  errors: ErrorReply['errors'] = [],
): Answer {
  const body: ErrorReply = { statusCode, error: 'Error', message, errors };
  return (response) => {
    json(response, statusCode, body, headers);
  };
}

export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
