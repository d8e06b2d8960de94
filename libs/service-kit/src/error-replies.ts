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
    // Half an answer is out: all that is left is to break the connection, so that nobody takes it for whole.
    if (answer.headersSent) answer.destroy();
    else answer.status(reply.statusCode).json(reply);
  }

  private replyTo(exception: unknown): ErrorReply {
    if (exception instanceof Refusal) {
      return replyOf(exception.getStatus(), exception.message, exception.problems);
    }
    if (exception instanceof HttpException) return replyOf(exception.getStatus(), exception.message);
    const foreign = clientError(exception);
    if (foreign !== null) return foreign;
    const traceId = traceIdOf(currentTraceparent() ?? '');
    return replyOf(500, `an internal error${traceId === '' ? '' : `; its trace id is ${traceId}`}`);
  }
}

function replyOf(statusCode: number, message: string, problems: readonly Problem[] = []): ErrorReply {
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
  return replyOf(statusCode, limit === null ? message : `the body is larger than ${limit} bytes`);
}
