import {
  CancelReply,
  type DispatchRequest,
  ErrorReply,
  InstanceList,
  problemLines,
  RunList,
  RunRecord,
  RunView,
  SubmitReply,
  type RunId,
  type SubmitRequest,
  type PredictionLine,
  PredictionSetReply,
  SuiteInstances,
  TokenCreated,
  TokenList,
  type TokenRequest,
  TokenView,
} from '@assay/contracts';
import { Readable } from 'node:stream';
import { types } from 'node:util';
import type { z } from 'zod';
import type { Fetch } from './trusting-fetch';

/** An answer that is not a success, in words for a person: one line for each problem. */
export class ApiError extends Error {
  constructor(
    message: string,
    /** HTTP status; null when nobody answered. */
    readonly status: number | null,
  ) {
    super(message);
    this.name = 'ApiError';
  }
}

export interface ApiOptions {
  /** e.g. `http://127.0.0.1:8080` */
  readonly url: string;
  readonly token: string;
  /** Default: Node's own. */
  readonly fetch?: Fetch;
}

/** The dispatcher's HTTP API. Every method throws ApiError for refusals and for a server that is away. */
export class ApiClient {
  constructor(private readonly options: ApiOptions) {}

  /** The reply's `statusUrl` is absolute: a server behind a proxy cannot know its own address, its caller does. */
  async submit(body: SubmitRequest, idempotencyKey: string): Promise<SubmitReply> {
    const headers = { 'idempotency-key': idempotencyKey };
    const reply = await this.call('POST', '/v1/runs', SubmitReply, { body, headers });
    return { ...reply, statusUrl: this.absolute(reply.statusUrl) };
  }

  /** The answer to a release as it came: text that `dispatchReplyOf` reads. */
  async handInRelease(body: DispatchRequest, idempotencyKey: string): Promise<string> {
    const answer = await this.ask('/v1/releases', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(60_000),
    });
    return answer.text();
  }

  /** An address of this server that one of its answers names. */
  absolute(url: string): string {
    return url.startsWith('/') ? `${this.options.url}${url}` : url;
  }

  runs(cursor: string | null): Promise<RunList> {
    return this.call('GET', cursor === null ? '/v1/runs' : `/v1/runs?cursor=${encodeURIComponent(cursor)}`, RunList);
  }

  run(id: RunId): Promise<RunView> {
    return this.call('GET', `/v1/runs/${encodeURIComponent(id)}`, RunView);
  }

  instances(id: RunId): Promise<InstanceList> {
    return this.call('GET', `/v1/runs/${encodeURIComponent(id)}/instances`, InstanceList);
  }

  record(id: RunId): Promise<RunRecord> {
    return this.call('GET', `/v1/runs/${encodeURIComponent(id)}/record`, RunRecord);
  }

  cancel(id: RunId): Promise<CancelReply> {
    return this.call('POST', `/v1/runs/${encodeURIComponent(id)}/cancel`, CancelReply);
  }

  /** Sends predictions as a stream, a line each. */
  async handIn(lines: AsyncIterable<PredictionLine>): Promise<PredictionSetReply> {
    const answer = await this.ask('/v1/predictions', {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: Readable.from(jsonLines(lines)),
      duplex: 'half',
      signal: AbortSignal.timeout(TRANSFER_MS),
    });
    return parsedAs(PredictionSetReply, 'POST /v1/predictions', answer.status, await answer.text());
  }

  createToken(body: TokenRequest): Promise<TokenCreated> {
    return this.call('POST', '/v1/tokens', TokenCreated, { body });
  }

  tokens(): Promise<TokenList> {
    return this.call('GET', '/v1/tokens', TokenList);
  }

  revokeToken(id: string): Promise<TokenView> {
    return this.call('DELETE', `/v1/tokens/${encodeURIComponent(id)}`, TokenView);
  }

  suiteInstances(suite: string): Promise<SuiteInstances> {
    return this.call('GET', `/v1/suites/${encodeURIComponent(suite)}/instances`, SuiteInstances);
  }

  /** The bytes of an artifact; the server has checked them against the digest. */
  async artifact(digest: string): Promise<Buffer> {
    const answer = await this.ask(`/v1/artifacts/${digest}`, { signal: AbortSignal.timeout(TRANSFER_MS) });
    return Buffer.from(await answer.arrayBuffer());
  }

  /** The same as a stream, for what may be large. */
  async artifactStream(digest: string): Promise<Readable> {
    const answer = await this.ask(`/v1/artifacts/${digest}`, { signal: AbortSignal.timeout(TRANSFER_MS) });
    return answer.body === null ? Readable.from([]) : Readable.fromWeb(answer.body);
  }

  private async call<S extends z.ZodType>(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    schema: S,
    { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<z.infer<S>> {
    const answer = await this.ask(path, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    });
    return parsedAs(schema, `${method} ${path}`, answer.status, await answer.text());
  }

  private async ask(path: string, request: StreamingRequest): Promise<Response> {
    const headers = { authorization: `Bearer ${this.options.token}`, ...request.headers };
    // Node takes any stream of bytes as a body; the browser's type of RequestInit does not know that.
    const init = { ...request, headers } as RequestInit;
    const answer = await (this.options.fetch ?? fetch)(`${this.options.url}${path}`, init).catch((error: unknown) => {
      throw new ApiError(`no answer from ${this.options.url}: ${reasonOf(error)}`, null);
    });
    if (!answer.ok) throw new ApiError(refusal(answer.status, await answer.text()), answer.status);
    return answer;
  }
}

/** What moving a large set or log may take. */
const TRANSFER_MS = 3_600_000;

type StreamingRequest = Omit<RequestInit, 'body' | 'headers'> & {
  readonly headers?: Record<string, string>;
  readonly body?: string | Readable;
  readonly duplex?: 'half';
};

async function* jsonLines(values: AsyncIterable<unknown>): AsyncGenerator<Buffer> {
  for await (const value of values) yield Buffer.from(`${JSON.stringify(value)}\n`);
}

function parsedAs<S extends z.ZodType>(schema: S, what: string, status: number, text: string): z.infer<S> {
  const parsed = schema.safeParse(parseJson(text));
  if (!parsed.success) throw new ApiError(`${what} answered something else than expected`, status);
  return parsed.data;
}

function refusal(status: number, text: string): string {
  const parsed = ErrorReply.safeParse(parseJson(text));
  if (!parsed.success) return `the server answered ${status}: ${text.slice(0, 500)}`;
  const { message, errors } = parsed.data;
  const lines = problemLines(errors.map((problem) => ({ value: undefined, ...problem })));
  return [message, ...lines.map((line) => `  ${line}`)].join('\n');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function reasonOf(error: unknown): string {
  if (!types.isNativeError(error)) return String(error);
  return types.isNativeError(error.cause) ? error.cause.message : error.message;
}
