import type { GradingRules } from '../rules';
import { isSkipSummary, shared, statusAt, type StatusMap } from '../status';
import { eachLine } from '../text/lines';
import { firstWords } from '../text/python-space';

/** How one flavour of pytest output differs from the plain one. */
export interface PytestFlavour {
  /** Applied to a line before its words are taken. */
  readonly line?: (line: string) => string;
  /** Applied to the second word, which names the test. */
  readonly name?: (word: string) => string;
}

/** Lines that start with a status, as pytest's `-rA` summary prints them: the second word is the test. */
export function parsePytest(log: string, rules: GradingRules, flavour: PytestFlavour = {}): StatusMap {
  const map: StatusMap = new Map();
  eachLine(log, (start, end) => {
    if (!statusAt(log, start)) return;
    const raw = log.slice(start, end);
    const line = flavour.line?.(raw) ?? raw;
    const [status, name] = firstWords(line.startsWith('FAILED') ? line.replaceAll(' - ', ' ') : line);
    if (status === undefined || name === undefined) return;
    if (rules !== 'swebench-4.1.0' && isSkipSummary(status, name)) return;
    map.set(flavour.name?.(name) ?? name, shared(status));
  });
  return map;
}
