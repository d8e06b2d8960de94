import { Catch, type RpcExceptionFilter } from '@nestjs/common';
import { type Observable, throwError } from 'rxjs';

/**
 * Hands errors of handlers on to the strategy as they are. Nest's own filter logs them and puts "Internal server error"
 * in their place, so the strategy could not tell what happened.
 */
@Catch()
export class RethrowErrors implements RpcExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}
