import type { IncomingMessage } from 'node:http';
import { HttpStatus, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Database, type OidcUse, spendToken } from '@assay/persistence';
import { SchemaGate } from '../database/schema-gate';
import { Callers } from './callers';
import { Denied, unauthorized } from './denied';
import { RateLimits } from './http/rate-limits';
import { admission, type Need, NEED } from './needs';

/**
 * Lets a caller in who says who it is, may do what the handler `Needs`, and does not call too often. The use of a token
 * that may be used once is noted last: what is refused before has not spent it, and nothing passes that was spent.
 */
@Injectable()
export class Access implements CanActivate {
  constructor(
    private readonly callers: Callers,
    private readonly limits: RateLimits,
    private readonly database: Database,
    private readonly gate: SchemaGate,
    private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<true> {
    const need = this.reflector.get<Need | undefined>(NEED, context.getHandler());
    if (need === undefined) throw new Error('a handler behind Access does not say what it needs');
    const request = context.switchToHttp().getRequest<IncomingMessage>();
    const { principal, use } = await this.callers.of(request);
    await this.limits.call(principal);
    const answer = admission(principal, need);
    if (answer.answer === 'refused') throw new Denied(HttpStatus.FORBIDDEN, answer.reason, answer.message);
    if (use !== null) await this.spend(request, use);
    return true;
  }

  private async spend(request: IncomingMessage, use: OidcUse): Promise<void> {
    await this.gate.canActivate();
    if (await spendToken(this.database, use)) return;
    const replayed = unauthorized('token_replayed', 'the token was used before: ask GitHub for a fresh one');
    await this.callers.countGuess(request, replayed);
    throw replayed;
  }
}
