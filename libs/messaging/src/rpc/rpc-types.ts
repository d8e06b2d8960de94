import type { z } from 'zod';
import type { RPC_SCHEMAS, RpcName } from '@assay/contracts';

/** What is asked on a request-reply subject. */
export type RpcRequest<N extends RpcName> = z.infer<(typeof RPC_SCHEMAS)[N]['request']>;

/** What is answered on it. */
export type RpcReply<N extends RpcName> = z.infer<(typeof RPC_SCHEMAS)[N]['reply']>;

/** What a handler learns about a request beside its body. */
export interface RpcContext {
  /** Trace context of the asker. */
  readonly traceparent: string | null;
}
