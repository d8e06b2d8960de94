import { HttpStatus, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Refusal } from './refusal';

interface Request {
  readonly headers: { readonly 'content-type'?: string; readonly 'content-length'?: string };
  /** The media type where the body is of that type, false where it is not, null where there is no body. */
  is(type: string): string | false | null;
}
interface Answer {
  setHeader(name: string, value: string): unknown;
}

/** Guard that refuses (415) a body that is not JSON: the parser would pass it over as if there were none. */
@Injectable()
export class JsonBody implements CanActivate {
  canActivate(context: ExecutionContext): true {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    if (request.headers['content-length'] === '0' || request.is('application/json') !== false) return true;
    http.getResponse<Answer>().setHeader('accept', 'application/json');
    throw new Refusal(HttpStatus.UNSUPPORTED_MEDIA_TYPE, 'the body is not JSON by its header Content-Type', [
      { field: 'Content-Type', value: request.headers['content-type'], expected: 'expected application/json' },
    ]);
  }
}
