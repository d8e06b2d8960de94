import { headers, type MsgHdrs } from '@nats-io/nats-core';
import { Traceparent } from '@assay/contracts';

/** Name of the W3C trace context header. NATS headers are case-sensitive: lower case everywhere. */
const TRACEPARENT = 'traceparent';

/** Headers of a message with the sender's trace context, if there is one, and others as given. */
export function messageHeaders(traceparent: string | null, others: Readonly<Record<string, string>> = {}): MsgHdrs {
  const all = headers();
  if (traceparent !== null) all.set(TRACEPARENT, traceparent);
  for (const [name, value] of Object.entries(others)) all.set(name, value);
  return all;
}

/** The trace context of a received message; null when it has none or a malformed one. */
export function traceparentOf(received: MsgHdrs | undefined): string | null {
  const parsed = Traceparent.safeParse(received?.get(TRACEPARENT));
  return parsed.success ? parsed.data : null;
}
