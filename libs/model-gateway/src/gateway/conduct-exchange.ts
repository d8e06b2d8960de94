import { Spool } from '../record/spool';
import { badRequest, unavailable, type Refusal } from '../wire/refusal';
import { refuse } from './client-answer';
import { failedBy, type Ending } from './ending';
import { Exchange, type ExchangeContext } from './exchange';
import { ClientGone, takeRequest, type TakenRequest } from './request-intake';

/** One request for a completion, from its first byte to the line in the record. Never rejects. */
export async function conductExchange(context: ExchangeContext): Promise<void> {
  try {
    const { parts, route, request } = context;
    const taken = await takeRequest(request, route, { ...parts.bounds, ...parts });
    if (taken.kind === 'refused') turnAway(context, taken);
    else await forward(context, taken).finally(() => taken.body.discard());
  } catch (error) {
    if (!(error instanceof ClientGone) && !context.signal.aborted) breaks(context, failedBy(error));
  }
}

async function forward(context: ExchangeContext, taken: TakenRequest): Promise<void> {
  const { parts, session } = context;
  if (session.countsMoney && (taken.model === null || parts.prices?.knows(taken.model) !== true)) {
    const message = 'this trial has a budget of money, and the price of the model that was asked for is not known';
    turnAway(context, badRequest('assay_model_unpriced', message));
    return;
  }
  const admitted = session.admit();
  if (!('id' in admitted)) {
    turnAway(context, admitted);
    return;
  }
  session.notes.asked(taken.model);
  const copy = await Spool.create(parts.spoolDir, parts.bounds.replyBytes);
  await new Exchange(context, taken, copy).run(admitted.id).finally(() => copy.discard());
}

/** The gateway's own answer to a request that goes nowhere. */
function turnAway({ session, response, request, route }: ExchangeContext, refusal: Refusal): void {
  session.refused(refusal, request.url ?? '');
  // What is too large has not been read to its end.
  refuse(response, refusal, route.protocol, refusal.status === 413);
}

/** The gateway itself cannot go on: our fault, and so it counts. */
function breaks({ session, response, route }: ExchangeContext, { end, failure }: Ending): void {
  session.notes.ended(end, failure);
  refuse(response, unavailable('assay_gateway_failure', 'the gateway to the model has failed'), route.protocol, true);
}
