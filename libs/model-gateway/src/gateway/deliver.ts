import type { ServerResponse } from 'node:http';
import { meterFor, type ResponseMeter } from '../metering/response-meter';
import type { Spool } from '../record/spool';
import type { ModelKey } from '../upstream/model-key';
import type { Asked } from '../upstream/persistent-ask';
import { SecretGuard } from '../upstream/secret-guard';
import { clientHeaders } from '../wire/headers';
import type { Protocol } from '../wire/routes';
import { writePiece } from './client-answer';

type Flowing = Extract<Asked, { kind: 'flowing' }>;

export interface Delivery {
  readonly response: ServerResponse;
  readonly protocol: Protocol;
  readonly key: ModelKey;
  readonly copy: Spool;
  readonly signal: AbortSignal;
  /** Called with what has been read so far, before the piece that was read goes on. */
  readonly onRead: (meter: ResponseMeter) => void;
}

/**
 * Passes a reply on as it comes, byte for byte, no faster than the client takes it, and reads along. Answers with the
 * meter and, where the reply was cut, with the error; the client then sees a cut connection too.
 */
export async function deliver(
  { status, headers, first, answer }: Flowing,
  { response, protocol, key, copy, signal, onRead }: Delivery,
): Promise<{ readonly meter: ResponseMeter; readonly error: unknown }> {
  const meter = meterFor(protocol, headers['content-type'] ?? null, headers['content-encoding'] ?? null);
  const guard = new SecretGuard(key.reveal());
  try {
    response.writeHead(status, clientHeaders(headers, key.reveal()));
    for (let piece = first; piece !== null;) {
      meter.feed(piece);
      onRead(meter);
      await writePiece(response, guard.pass(piece), signal);
      await copy.write(piece);
      const next = await answer.body.next();
      piece = next.done === true ? null : next.value;
    }
    meter.end();
    onRead(meter);
    response.end(guard.end());
    return { meter, error: null };
  } catch (error) {
    answer.abandon();
    response.destroy();
    return { meter, error };
  }
}
