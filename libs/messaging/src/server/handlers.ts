import 'reflect-metadata';
import { UseFilters } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import type { CancelMessage, RpcName, WorkKind } from '@assay/contracts';
import type { RpcContext, RpcReply, RpcRequest } from '../rpc/rpc-types';
import type { WorkContext, WorkResult } from '../worker/work-types';
import { RethrowErrors } from './rethrow-errors';
import type { StreamContext, StreamMessages, StreamPattern } from './stream-patterns';
import type { Verdict } from './verdict';

/** What a decorated method is for. Stands in Nest's metadata under `assay`. */
export type Handles =
  | { readonly channel: 'rpc'; readonly name: RpcName }
  | { readonly channel: 'stream'; readonly pattern: StreamPattern; readonly concurrency: number }
  | { readonly channel: 'core'; readonly pattern: 'control.cancel' }
  | { readonly channel: 'work'; readonly kind: WorkKind };

type On<H> = <T extends H>(target: object, key: string | symbol, descriptor: TypedPropertyDescriptor<T>) => void;

function handler<H>(pattern: string, handles: Handles): On<H> {
  return (target, method, descriptor) => {
    // Without these Nest hands a handler its first argument only.
    Payload()(target, method, 0);
    Ctx()(target, method, 1);
    MessagePattern(pattern, { assay: handles })(target, method, descriptor);
    // On the method itself the filter works whatever filters the app has, and whether or not they are inherited.
    UseFilters(new RethrowErrors())(target, method, descriptor);
  };
}

/** Answers a request-reply subject, in a queue group: one process of all that listen gets a request. */
export function Rpc<N extends RpcName>(
  name: N,
): On<(request: RpcRequest<N>, context: RpcContext) => Promise<RpcReply<N>>> {
  return handler(`rpc:${name}`, { channel: 'rpc', name });
}

export interface StreamConsumerOptions {
  /** Messages handled at the same time by this process. Default 1. */
  readonly concurrency?: number;
}

/**
 * Takes messages of a stream, one at a time per loop. The method's verdict decides what becomes of the message; a throw
 * gives it back with a delay.
 */
export function StreamConsumer<P extends StreamPattern>(
  pattern: P,
  { concurrency = 1 }: StreamConsumerOptions = {},
): On<(message: StreamMessages[P], context: StreamContext) => Promise<Verdict>> {
  return handler(`stream:${pattern}`, { channel: 'stream', pattern, concurrency });
}

/** Takes a core message (no stream, every process gets it, lost if nobody listens). */
export function CoreMessage(pattern: 'control.cancel'): On<(message: CancelMessage) => Promise<void>> {
  return handler(`core:${pattern}`, { channel: 'core', pattern });
}

/**
 * Does granted work of one kind. Claim, heartbeats, result and every verb are the strategy's affair (design 3a); the
 * method returns what came out or throws, which becomes a failed outcome.
 */
export function WorkHandler<K extends WorkKind>(kind: K): On<(work: WorkContext<K>) => Promise<WorkResult<K>>> {
  return handler(`stream:work.${kind}`, { channel: 'work', kind });
}
