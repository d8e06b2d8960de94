import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { callRecord } from './calls/call-record';
import { Denied } from './denied';
import { RateLimits } from './http/rate-limits';
import { Identification, type Identity } from './identification';

type Request = IncomingMessage & { readonly ip?: string };

const found = new WeakMap<IncomingMessage, Identity>();

/** Says of each request once who sent it, and counts the tokens that nobody knows. */
@Injectable()
export class Callers {
  constructor(
    private readonly identification: Identification,
    private readonly limits: RateLimits,
  ) {}

  /** @throws Denied as `Identification.identify` */
  async of(request: Request): Promise<Identity> {
    const known = found.get(request);
    if (known !== undefined) return known;
    try {
      const identity = await this.identification.identify(request.headers.authorization);
      callRecord(request).principal = identity.principal;
      found.set(request, identity);
      return identity;
    } catch (error) {
      await this.countGuess(request, error);
      throw error;
    }
  }

  /** Notes a refused token against the address that sent it; none at all is no guess. */
  async countGuess(request: Request, error: unknown): Promise<void> {
    if (!(error instanceof Denied) || error.reason === 'credentials_missing' || error.getStatus() !== 401) return;
    await this.limits.failure(request.ip ?? request.socket.remoteAddress ?? '');
  }
}
