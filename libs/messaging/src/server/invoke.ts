import type { MessageHandler } from '@nestjs/microservices';
import { isObservable, lastValueFrom } from 'rxjs';

/**
 * Runs a handler as Nest registered it and waits for its end: Nest may answer with an Observable, whose error is the
 * handler's (see RethrowErrors). Resolves to what the handler returned.
 */
export async function invoke(handler: MessageHandler, data: unknown, context: unknown): Promise<unknown> {
  const answer: unknown = await handler(data, context);
  return isObservable(answer) ? await lastValueFrom(answer, { defaultValue: undefined }) : answer;
}
