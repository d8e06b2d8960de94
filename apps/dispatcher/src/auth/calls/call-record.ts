import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { DeniedReason } from '../denied';
import type { Principal } from '../principal';

/** What becomes known of a call while it is served. */
export interface CallRecord {
  readonly requestId: string;
  readonly begunAt: Date;
  /** Null while nobody has proved who calls. */
  principal: Principal | null;
  /** Why its connection was ended in the middle of its body. */
  cutOff: DeniedReason | null;
}

const records = new WeakMap<IncomingMessage, CallRecord>();

/** The record of a request: made when it is first asked for. */
export function callRecord(request: IncomingMessage): CallRecord {
  const known = records.get(request);
  if (known !== undefined) return known;
  const record = { requestId: randomUUID(), begunAt: new Date(), principal: null, cutOff: null };
  records.set(request, record);
  return record;
}

/** Parameter of a handler behind `Access`: the `Principal` who calls. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): Principal => {
  const { principal } = callRecord(context.switchToHttp().getRequest<IncomingMessage>());
  if (principal === null) throw new Error('a handler asks for its caller, and no guard has let one in');
  return principal;
});
