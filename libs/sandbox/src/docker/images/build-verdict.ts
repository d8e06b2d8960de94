import { type BlamedError, InfraError, TaskError } from '@assay/failures';
import { statusOf } from '../engine-errors';

/**
 * Words of a failed build that say it was ours: a disk, a base image or a network that is away. They may stand in what a
 * RUN line printed, too.
 */
const OURS = [
  /no space left on device/i,
  /pull access denied|manifest unknown|manifest for .* not found|toomanyrequests/i,
  /dial tcp|i\/o timeout|TLS handshake|no such host|connection (refused|reset)|unexpected EOF/i,
  /Temporary failure (in name resolution|resolving)|Could not resolve|EAI_AGAIN|ECONNRESET|ETIMEDOUT|Network is unreachable/i,
];

/** Words of the engine for a Dockerfile or a context that cannot be built, whoever tries. */
const TASKS = [
  /dockerfile parse error|unknown instruction|dockerfile.*(cannot be empty|not found)|no build stage|file with no instructions|syntax error/i,
  /COPY failed|ADD failed|forbidden path outside the build context/i,
  /returned a non-zero code|did not complete successfully/i,
];

/** Whose fault a failed build is. What is not understood is ours. @param tail the last lines that the build printed */
export function buildFailure(cause: unknown, tail: string): BlamedError {
  const message = cause instanceof Error ? cause.message : String(cause);
  const details = { status: statusOf(cause), tail: tail.slice(-2_000) };
  const text = `${message}\n${tail.slice(-4_000)}`;
  const options = { code: 'image_build_failed', phase: 'prepare', details, cause } as const;
  const ours = OURS.some((words) => words.test(text)) || !TASKS.some((words) => words.test(message));
  if (!ours) return new TaskError(`the image of the task cannot be built: ${message}`, options);
  const code = /no space left on device/i.test(text) ? 'disk_full' : options.code;
  return new InfraError(`an image cannot be built: ${message}`, { ...options, code });
}
