import { STATUS_CODES } from 'node:http';
import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { ErrorReply, Problem } from '@assay/contracts';
import { currentTraceparent, traceIdOf } from '@assay/telemetry';
import type { Logger } from 'pino';
import { isError } from './native-error';
import { Refusal } from './refusal';

interface Answer {
  headersSent: boolean;
  destroyed: boolean;
  status(code: number): { json(body: unknown): unknown };
  destroy(): unknown;
  setHeader(name: string, value: string): unknown;
}

const refusals = new WeakMap<object, Refusal>();

/** What an answer was refused by, for those who record calls; null where nothing was refused. */
export function refusalOf(answer: object): Refusal | null {
  return refusals.get(answer) ?? null;
}

/**
 * Every failed HTTP request answers an `ErrorReply`. What nobody foresaw is logged with its stack, and answered by a
 * 500 that tells the trace id and nothing else. Failures of message handlers are thrown on, so that the transport sees
 * them (Nest would swallow them).
 */
@Catch()
export class ErrorReplies implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    if (host.getType() !== 'http') throw exception;
    const answer = host.switchToHttp().getResponse<Answer>();
    const reply = this.replyTo(exception);
    if (reply.statusCode >= 500) this.logger.error({ err: exception, status: reply.statusCode }, 'request failed');
    if (exception instanceof Refusal) this.note(answer, exception);
    // Half an answer is out: all that is left is to break the connection, so that nobody takes it for whole.
    if (answer.headersSent) answer.destroy();
    else answer.status(reply.statusCode).json(reply);
  }

  private note(answer: Answer, refusal: Refusal): void {
    refusals.set(answer, refusal);
    if (answer.headersSent) return;
    for (const [name, value] of Object.entries(refusal.headers)) answer.setHeader(name, value);
  }

  private replyTo(exception: unknown): ErrorReply {
    if (exception instanceof Refusal) {
      return errorReply(exception.getStatus(), exception.message, exception.problems);
    }
    if (exception instanceof HttpException) return errorReply(exception.getStatus(), exception.message);
    const foreign = clientError(exception);
    if (foreign !== null) return foreign;
    const traceId = traceIdOf(currentTraceparent() ?? '');
    return errorReply(500, `an internal error${traceId === '' ? '' : `; its trace id is ${traceId}`}`);
  }
}

/** The body of an answer that is no success. */
export function errorReply(statusCode: number, message: string, problems: readonly Problem[] = []): ErrorReply {
  return {
    statusCode,
    error: STATUS_CODES[statusCode] ?? 'Error',
    message,
    errors: problems.map((one) => ({ ...one })),
  };
}

/** The body parser's errors carry a status and say whether their message may be shown. */
function clientError(exception: unknown): ErrorReply | null {
  if (!isError(exception) || !('statusCode' in exception) || !('expose' in exception)) return null;
  const { statusCode, message } = exception;
  if (typeof statusCode !== 'number' || exception.expose !== true) return null;
  const limit = 'limit' in exception && typeof exception.limit === 'number' ? exception.limit : null;
  return errorReply(statusCode, limit === null ? message : `the body is larger than ${limit} bytes`);
}
