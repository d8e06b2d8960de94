import {
  CancelReply,
  ErrorReply,
  InstanceList,
  problemLines,
  RunList,
  RunView,
  SubmitReply,
  type RunId,
  type SubmitRequest,
} from '@assay/contracts';
import type { z } from 'zod';

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
}

/** The dispatcher's HTTP API. Every method throws ApiError for refusals and for a server that is away. */
export class ApiClient {
  constructor(private readonly options: ApiOptions) {}

  /** The reply's `statusUrl` is absolute: a server behind a proxy cannot know its own address, its caller does. */
  async submit(body: SubmitRequest, idempotencyKey: string): Promise<SubmitReply> {
    const headers = { 'idempotency-key': idempotencyKey };
    const reply = await this.call('POST', '/v1/runs', SubmitReply, { body, headers });
    const { statusUrl } = reply;
    return { ...reply, statusUrl: statusUrl.startsWith('/') ? `${this.options.url}${statusUrl}` : statusUrl };
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

  cancel(id: RunId): Promise<CancelReply> {
    return this.call('POST', `/v1/runs/${encodeURIComponent(id)}/cancel`, CancelReply);
  }

  private async call<S extends z.ZodType>(
    method: 'GET' | 'POST',
    path: string,
    schema: S,
    { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<z.infer<S>> {
    const answer = await fetch(`${this.options.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.options.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    }).catch((error: unknown) => {
      throw new ApiError(`no answer from ${this.options.url}: ${reasonOf(error)}`, null);
    });
    const text = await answer.text();
    if (!answer.ok) throw new ApiError(refusal(answer.status, text), answer.status);
    const parsed = schema.safeParse(parseJson(text));
    if (!parsed.success) throw new ApiError(`${method} ${path} answered something else than expected`, answer.status);
    return parsed.data;
  }
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
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
