import type { Problem } from '@assay/contracts';
import { isError } from './native-error';
import { Refusal } from './refusal';

/** The value is not told: a body may hold anything, and is large. */
const PROBLEM: Problem = { field: 'body', value: undefined, expected: 'expected JSON in UTF-8, uncompressed' };

/** What a body parser calls a body that it cannot read (https://expressjs.com/en/resources/middleware/body-parser.html#errors). */
const UNREADABLE: ReadonlySet<unknown> = new Set([
  'entity.parse.failed',
  'encoding.unsupported',
  'charset.unsupported',
]);

/**
 * Middleware behind the body parser: its complaints about a body that is no JSON become a `Refusal` that names the body and
 * what is expected. Everything else goes on as it is. Express takes it for an error handler by its four parameters.
 */
export function unreadableBody(
  error: unknown,
  _request: unknown,
  _response: unknown,
  next: (error: unknown) => void,
): void {
  const known = isError(error) && 'type' in error && UNREADABLE.has(error.type) && 'statusCode' in error;
  next(known ? new Refusal(Number(error.statusCode), `the body cannot be read: ${error.message}`, [PROBLEM]) : error);
}
