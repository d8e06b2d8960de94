import type { Msg, Subscription } from '@nats-io/nats-core';
import type { MessageHandler } from '@nestjs/microservices';
import { RPC_SCHEMAS, type RpcName } from '@assay/contracts';
import { BlamedError, ContractError } from '@assay/failures';
import { inSpan } from '@assay/telemetry';
import type { EventLog } from '../event-log';
import { jsonOf } from '../nats/json-of';
import type { NatsLink } from '../nats/nats-link';
import { messageHeaders, traceparentOf } from '../nats/trace-headers';
import { invoke } from '../server/invoke';
import type { Part } from '../server/part';
import { Running } from '../timing/running';
import { RPC_ERROR_HEADER } from './rpc-error';
import type { RpcContext } from './rpc-types';

export interface RpcResponderOptions {
  readonly link: NatsLink;
  readonly logger: EventLog;
  readonly name: RpcName;
  readonly handler: MessageHandler;
}

/** Answers one request-reply subject in a queue group. What the handler throws is answered as an error and logged. */
export class RpcResponder implements Part {
  private subscription: Subscription | null = null;
  private readonly running = new Running();

  constructor(private readonly options: RpcResponderOptions) {}

  start(): void {
    const { link, name } = this.options;
    this.subscription = link.connection.subscribe(link.names.rpc(name), {
      queue: `${link.namespace}_rpc`,
      callback: (error, message) => {
        if (error === null) this.running.add(this.respond(message));
        else this.options.logger.error({ rpc: name, err: error }, 'A subscription failed');
      },
    });
  }

  /** Takes no more requests; those that are here are still answered. */
  async stop(graceMs: number): Promise<void> {
    // Draining asks the server, so without a connection there is nothing to wait for.
    if (this.subscription?.isClosed() === false && this.options.link.connected) await this.subscription.drain();
    else this.subscription?.unsubscribe();
    const left = await this.running.settled(graceMs);
    if (left > 0) this.options.logger.warn({ rpc: this.options.name, left }, 'Requests are left unanswered');
  }

  private async respond(message: Msg): Promise<void> {
    const { name, logger } = this.options;
    try {
      const reply = await this.reply(message);
      message.respond(JSON.stringify(reply));
    } catch (error) {
      const code = error instanceof BlamedError ? error.code : 'internal';
      logger.error({ rpc: name, code, err: error }, 'A request failed');
      if (this.options.link.connection.isClosed()) return;
      message.respond(error instanceof Error ? error.message : String(error), {
        headers: messageHeaders(null, { [RPC_ERROR_HEADER]: code }),
      });
    }
  }

  private async reply(message: Msg): Promise<unknown> {
    const { name, handler } = this.options;
    const { request, reply } = RPC_SCHEMAS[name];
    const context: RpcContext = { traceparent: traceparentOf(message.headers) };
    return await inSpan(`rpc ${name}`, { parent: context.traceparent, kind: 'server' }, async () => {
      const body = request.safeParse(jsonOf(message));
      if (!body.success) throw malformed('request', name, body.error);
      const answer = reply.safeParse(await invoke(handler, body.data, context));
      if (!answer.success) throw malformed('reply', name, answer.error);
      return answer.data;
    });
  }
}

function malformed(what: 'request' | 'reply', name: RpcName, cause: Error): ContractError {
  return new ContractError(`malformed ${what} of ${name}: ${cause.message}`, {
    code: `rpc_bad_${what}`,
    phase: 'lease',
    cause,
  });
}
