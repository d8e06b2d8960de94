import type { GradingRules } from '../rules';
import type { StatusMap } from '../status';
import { parsePytest } from './pytest';

/** pytest, with a parameter that is an absolute path cut to its last segment, so that ids do not depend on a machine. */
export function parsePytestOptions(log: string, rules: GradingRules): StatusMap {
  return parsePytest(log, rules, { name: withShortPath });
}

/** `main[option]` from the first `[` and the last `]`; what follows the latter is dropped. */
function withShortPath(word: string): string {
  const open = word.indexOf('[');
  const close = word.lastIndexOf(']');
  if (open === -1 || close < open) return word;
  const option = word.slice(open + 1, close);
  const isPath = option.startsWith('/') && !option.startsWith('//') && !option.includes('*');
  return `${word.slice(0, open)}[${isPath ? option.slice(option.lastIndexOf('/')) : option}]`;
}
