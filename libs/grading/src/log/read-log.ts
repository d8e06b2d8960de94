import { parserNamed } from '../parsers/registry';
import type { GradingRules } from '../rules';
import type { StatusMap } from '../status';
import { testsExitedNonZero } from './exit-code';
import { BAD_CODES, betweenMarkers } from './markers';
import { suiteRan } from './suite-ran';

/** What the harness makes of a log (its get_logs_eval). Not found: the log says nothing that counts. */
export interface LogReading {
  readonly found: boolean;
  readonly statuses: StatusMap;
}

/**
 * Reads a log's statuses.
 * @param content the log after `universalNewlines`
 * @throws LogParserError where the official code raises; UnknownParserError
 */
export function readLog(content: string, logParser: string, rules: GradingRules): LogReading {
  const parse = parserNamed(logParser, rules);
  const nothing: LogReading = { found: false, statuses: new Map() };
  if (BAD_CODES.some((code) => content.includes(code))) return nothing;
  const between = betweenMarkers(content);
  if (between === null) return nothing;

  const inner = parse(between);
  const statuses = inner.size > 0 ? inner : parse(content);
  if (rules === 'swebench-4.1.0') return { found: true, statuses };

  if (statuses.size === 0) {
    if (!suiteRan(content)) return nothing;
    testsExitedNonZero(content);
    return { found: true, statuses };
  }
  if (testsExitedNonZero(content) && !showsFailure(statuses)) return nothing;
  return { found: true, statuses };
}

/** A non-zero exit with no failure in the log describes another run than the one that happened. */
function showsFailure(statuses: StatusMap): boolean {
  for (const status of statuses.values()) {
    if (status === 'FAILED' || status === 'ERROR') return true;
  }
  return false;
}
