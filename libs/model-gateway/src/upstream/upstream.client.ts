import {
  Agent as HttpAgent,
  request as httpRequest,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { pipeline } from 'node:stream';
import { InfraError } from '@assay/failures';
import type { GatewayClock } from '../clock/gateway-clock';
import type { Spool } from '../record/spool';

/** How long the provider may keep us waiting. Milliseconds. */
export interface UpstreamPatience {
  /** Until the connection stands, TLS included. */
  readonly connectMs: number;
  /** Without a byte: until the headers, and between two pieces of the body. Models may think for long. */
  readonly silenceMs: number;
}

export const DEFAULT_PATIENCE: UpstreamPatience = { connectMs: 20_000, silenceMs: 600_000 };

export interface UpstreamRequest {
  readonly method: 'POST' | 'GET';
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Spool | null;
  readonly signal: AbortSignal;
}

export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Ends when the answer is whole; throws when it was cut, or silent for too long. */
  readonly body: AsyncIterator<Buffer, undefined>;
  /** Ends the connection without waiting for the rest. */
  abandon(): void;
}

/** An idle connection is closed before a provider usually does it, which would cost the next request a try. */
const IDLE_MS = 30_000;

/** The provider was not heard, or not to the end. The message names no host. */
export class UpstreamBroken extends Error {}

/** Speaks to the one provider of the configuration. Follows no redirect, uses no proxy, tries nothing twice. */
export class UpstreamClient {
  private readonly base: URL;
  private readonly agent: HttpAgent | HttpsAgent;

  constructor(
    baseUrl: string,
    private readonly patience: UpstreamPatience,
    private readonly clock: GatewayClock,
  ) {
    this.base = checkedBase(baseUrl);
    this.agent = new (this.base.protocol === 'https:' ? HttpsAgent : HttpAgent)({
      keepAlive: true,
      timeout: IDLE_MS,
    });
  }

  /** Resolves with the headers of the answer. Throws UpstreamBroken, or the signal's reason. */
  async send({ method, path, headers, body, signal }: UpstreamRequest): Promise<UpstreamAnswer> {
    signal.throwIfAborted();
    const make = this.base.protocol === 'https:' ? httpsRequest : httpRequest;
    const url = `${this.base.href.replace(/\/$/, '')}${path}`;
    const length = body === null ? {} : { 'content-length': body.bytes };
    const request = make(url, { method, agent: this.agent, headers: { ...headers, ...length }, signal });
    const silence = this.watchConnection(request);
    try {
      const response = await answerTo(request, body);
      return { ...described(response), body: this.pieces(response, signal), abandon: () => void response.destroy() };
    } catch (error) {
      signal.throwIfAborted();
      throw broken(error);
    } finally {
      silence();
    }
  }

  close(): void {
    this.agent.destroy();
  }

  private watchConnection(request: ClientRequest): () => void {
    const late = (what: string) => (): void => {
      request.destroy(new UpstreamBroken(what));
    };
    const cancelSilence = this.clock.after(this.patience.silenceMs, late('the provider did not answer in time'));
    let cancelConnect = (): void => undefined;
    request.once('socket', (socket) => {
      if (!socket.connecting) return;
      cancelConnect = this.clock.after(
        this.patience.connectMs,
        late('the provider did not take the connection in time'),
      );
      socket.once(this.base.protocol === 'https:' ? 'secureConnect' : 'connect', cancelConnect);
    });
    return () => {
      cancelSilence();
      cancelConnect();
    };
  }

  private async *pieces(response: IncomingMessage, signal: AbortSignal): AsyncGenerator<Buffer> {
    const pieces = response[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    try {
      for (;;) {
        const cancel = this.clock.after(this.patience.silenceMs, () => {
          response.destroy(new UpstreamBroken('the provider fell silent in the middle of its answer'));
        });
        const next = await pieces.next().finally(cancel);
        if (next.done === true) return;
        yield next.value;
      }
    } catch (error) {
      signal.throwIfAborted();
      throw broken(error);
    } finally {
      response.destroy();
    }
  }
}

function described({ statusCode, headers }: IncomingMessage): { status: number; headers: IncomingHttpHeaders } {
  return { status: statusCode ?? 0, headers };
}

/** Sends the body and waits for the headers; a provider may answer before it has read everything. */
function answerTo(request: ClientRequest, body: Spool | null): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let answered = false;
    request.once('response', (response) => {
      answered = true;
      resolve(response);
    });
    request.on('error', reject);
    if (body === null) request.end();
    else {
      pipeline(body.chunks(), request, (error) => {
        // Node passes null where its types say undefined.
        if (error instanceof Error && !answered) request.destroy(error);
      });
    }
  });
}

function broken(error: unknown): UpstreamBroken {
  if (error instanceof UpstreamBroken) return error;
  const code = (error as NodeJS.ErrnoException).code ?? 'no code';
  return new UpstreamBroken(`the connection to the provider failed (${code})`, { cause: error });
}

function checkedBase(baseUrl: string): URL {
  const base = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  const good =
    base !== null &&
    ['http:', 'https:'].includes(base.protocol) &&
    [base.username, base.password, base.search, base.hash].every((part) => part === '');
  if (good) return base;
  throw new InfraError(
    'the base URL of the model must be http or https, without credentials, query and fragment, e.g. https://host/v1',
    { code: 'model_base_url_invalid', phase: 'prepare' },
  );
}
