import { TimeoutError, type Msg } from '@nats-io/nats-core';
import { RPC_SCHEMAS, type RpcName } from '@assay/contracts';
import { ContractError, InfraError } from '@assay/failures';
import { currentTraceparent } from '@assay/telemetry';
import { jsonOf } from '../nats/json-of';
import type { NatsLink } from '../nats/nats-link';
import { messageHeaders } from '../nats/trace-headers';
import { RPC_ERROR_HEADER } from './rpc-error';
import type { RpcReply, RpcRequest } from './rpc-types';

export interface CallOptions {
  /** Milliseconds; default is the client's. */
  readonly timeoutMs?: number;
  /** Trace context to send; default is the current one. */
  readonly traceparent?: string | null;
}

/** Asks the coordinator. Request and reply are checked by RPC_SCHEMAS. */
export class RpcClient {
  /** @param timeoutMs how long an answer may take (Timings.rpcTimeoutMs) */
  constructor(
    private readonly link: NatsLink,
    private readonly timeoutMs: number,
  ) {}

  /**
   * @throws InfraError `rpc_timeout` (no answer in time), `rpc_unavailable` (nobody listens, or no connection),
   *   `rpc_failed` (the handler failed); in all three nothing is known about what happened on the other side
   * @throws ContractError `rpc_bad_request` before anything is sent, `rpc_bad_reply`
   */
  async call<N extends RpcName>(name: N, request: RpcRequest<N>, options: CallOptions = {}): Promise<RpcReply<N>> {
    const body = RPC_SCHEMAS[name].request.safeParse(request);
    if (!body.success) throw broken(name, 'rpc_bad_request', body.error);
    const answer = await this.ask(name, JSON.stringify(body.data), options);
    const failure = answer.headers?.get(RPC_ERROR_HEADER) ?? '';
    if (failure !== '') {
      throw new InfraError(`the answerer of ${name} failed: ${answer.string()}`, {
        code: 'rpc_failed',
        phase: 'lease',
        details: { rpc: name, remoteCode: failure },
      });
    }
    const reply = RPC_SCHEMAS[name].reply.safeParse(jsonOf(answer));
    if (!reply.success) throw broken(name, 'rpc_bad_reply', reply.error);
    return reply.data as RpcReply<N>;
  }

  private async ask(name: RpcName, body: string, options: CallOptions): Promise<Msg> {
    const { timeoutMs = this.timeoutMs, traceparent = currentTraceparent() } = options;
    try {
      return await this.link.connection.request(this.link.names.rpc(name), body, {
        timeout: timeoutMs,
        headers: messageHeaders(traceparent),
      });
    } catch (error) {
      const timedOut = error instanceof TimeoutError || (error instanceof Error && error.cause instanceof TimeoutError);
      throw new InfraError(timedOut ? `no answer to ${name} within ${timeoutMs} ms` : `nobody can answer ${name}`, {
        code: timedOut ? 'rpc_timeout' : 'rpc_unavailable',
        phase: 'lease',
        details: { rpc: name },
        cause: error,
      });
    }
  }
}

function broken(name: RpcName, code: 'rpc_bad_request' | 'rpc_bad_reply', cause: Error): ContractError {
  const what = code === 'rpc_bad_request' ? 'request' : 'reply';
  return new ContractError(`malformed ${what} of ${name}: ${cause.message}`, { code, phase: 'lease', cause });
}
