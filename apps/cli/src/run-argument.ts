import { RunId } from '@assay/contracts';
import { UsageError } from './output';

/** A run id from the command line. Throws UsageError with what was expected. */
export function runIdOf(text: string): RunId {
  const parsed = RunId.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new UsageError(`run id: ${parsed.error.issues[0]?.message ?? 'not a run id'}, got ${JSON.stringify(text)}`);
}
