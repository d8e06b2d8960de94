import { DispatchReply, RUN_ID_PATTERN } from '@assay/contracts';
import { ExitError } from '../output';

/**
 * Reads the answer to a release. The texts are those of qwen-code's dispatch script, whose callers look for them.
 * @throws ExitError 1 for an answer that names no run
 */
export function dispatchReplyOf(text: string): DispatchReply {
  const value = jsonOf(text);
  const parsed = DispatchReply.safeParse(value);
  if (parsed.success) return parsed.data;
  const runId = typeof value === 'object' && value !== null && 'runId' in value ? value.runId : undefined;
  if (typeof runId !== 'string' || runId === '') throw refused('pool submit response is missing a non-empty run_id');
  if (!RUN_ID_PATTERN.test(runId)) throw refused('pool submit returned an invalid run_id');
  throw refused(`the server took the release as ${runId}, and answered something else than a receipt`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refused('pool submit returned invalid JSON');
  }
}

function refused(message: string): ExitError {
  return new ExitError(1, message);
}
