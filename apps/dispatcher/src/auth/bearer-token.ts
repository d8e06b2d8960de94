import { createHash, timingSafeEqual } from 'node:crypto';
import { HttpStatus, Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Refusal } from '@assay/service-kit';

interface Request {
  readonly headers: { readonly authorization?: string };
}
interface Answer {
  setHeader(name: string, value: string): unknown;
}

/** Injection token of the token's text. */
export const API_TOKEN = Symbol('API_TOKEN');

/** Lets only those in who send the deployment's token (RFC 6750). Its comparison takes equally long for every guess. */
@Injectable()
export class BearerToken implements CanActivate {
  private readonly wanted: Buffer;

  constructor(@Inject(API_TOKEN) token: string) {
    this.wanted = sha256(token);
  }

  canActivate(context: ExecutionContext): true {
    const http = context.switchToHttp();
    const given = /^Bearer +(\S+) *$/i.exec(http.getRequest<Request>().headers.authorization ?? '')?.[1];
    if (given !== undefined && timingSafeEqual(sha256(given), this.wanted)) return true;
    http.getResponse<Answer>().setHeader('www-authenticate', 'Bearer');
    throw new Refusal(
      HttpStatus.UNAUTHORIZED,
      given === undefined ? 'the header "Authorization: Bearer <token>" is missing' : 'the bearer token is not known',
    );
  }
}

/** Equal lengths for timingSafeEqual, whatever was sent. */
function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
