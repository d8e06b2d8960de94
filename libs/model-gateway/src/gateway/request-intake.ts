import type { IncomingMessage } from 'node:http';
import { text } from '../json/json-access';
import { JsonFields, type ScannedFields } from '../json/json-fields';
import { Spool } from '../record/spool';
import { OUTSIDE_FIELDS, outsideReach } from '../wire/outside-reach';
import { badRequest, type Refusal } from '../wire/refusal';
import type { Route } from '../wire/routes';

export interface IntakeRules {
  readonly spoolDir: string;
  readonly requestBytes: number;
  readonly serverTools: 'refuse' | 'allow';
}

/** A request that has been read to its end and may go on. */
export interface TakenRequest {
  readonly kind: 'taken';
  readonly body: Spool;
  /** As path or body name it. Null: neither does. */
  readonly model: string | null;
}

type CompletionRoute = Extract<Route, { kind: 'completion' }>;

const FIELDS = new Map<string, number>([['model', 4096], ...OUTSIDE_FIELDS]);

/**
 * Reads the body of a request for a completion: to disk, in memory that does not grow with it.
 * Answers a refusal where it is too large, no JSON object, or asks for what is not allowed; throws when the client goes
 * away or the disk refuses.
 */
export async function takeRequest(
  request: IncomingMessage,
  route: CompletionRoute,
  rules: IntakeRules,
): Promise<TakenRequest | (Refusal & { readonly kind: 'refused' })> {
  const body = await Spool.create(rules.spoolDir, rules.requestBytes);
  try {
    const fields = new JsonFields(FIELDS);
    for await (const chunk of bodyOf(request)) {
      await body.write(chunk);
      fields.feed(chunk);
      if (body.bytes > MOST_DISCARDED * rules.requestBytes) break;
    }
    const scanned = fields.end();
    const refusal = refusalOf(body, scanned, route, rules);
    if (refusal === null) return { kind: 'taken', body, model: route.model ?? modelOf(scanned) };
    await body.discard();
    return { kind: 'refused', ...refusal };
  } catch (error) {
    await body.discard();
    throw error;
  }
}

/** The client cut its connection before the request was whole. */
export class ClientGone extends Error {}

async function* bodyOf(request: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) yield chunk;
  } catch (error) {
    throw new ClientGone('the client went away', { cause: error });
  }
}

/** A body is read on to this many times its bound, so that the client hears the refusal instead of a reset. */
const MOST_DISCARDED = 4;

function refusalOf(
  body: Spool,
  scanned: ScannedFields,
  { protocol, model }: CompletionRoute,
  rules: IntakeRules,
): Refusal | null {
  if (body.truncated) {
    return badRequest('assay_request_too_large', `the request has more than ${rules.requestBytes} bytes`, 413);
  }
  if (scanned.kind === 'malformed') {
    return badRequest('assay_request_malformed', `the request is no JSON object: ${scanned.reason}`);
  }
  // Readers differ in which of two counts, and one of them is paid for.
  if ((scanned.fields.get('model')?.length ?? 0) > (model === null ? 1 : 0)) {
    return badRequest('assay_request_malformed', 'the request names its model twice');
  }
  const outside = rules.serverTools === 'allow' ? null : outsideReach(protocol, scanned.fields, scanned.tooLong);
  if (outside === null) return null;
  return badRequest(
    'assay_outside_reach',
    `the request asks the provider to reach outside of the sandbox, which is not allowed here: ${outside}`,
  );
}

function modelOf(scanned: ScannedFields): string | null {
  return scanned.kind === 'object' ? text(scanned.fields.get('model')?.at(-1)) : null;
}
