import { LogParserError } from '../errors';
import type { GradingRules } from '../rules';
import type { StatusMap } from '../status';
import { eachLine } from '../text/lines';
import { placesBehind } from '../text/places';
import { firstWords } from '../text/python-space';

/** `FAILED id`, `id PASSED [ 50%]` and `PASSED id`; no other status is ever recorded. */
export function parseSeaborn(log: string, rules: GradingRules): StatusMap {
  const map: StatusMap = new Map();
  const passes = placesBehind(log, ' PASSED ');
  eachLine(log, (start, end) => {
    const failed = log.startsWith('FAILED', start);
    const inside = !failed && passes(start) < end;
    if (!failed && !inside && !log.startsWith('PASSED', start)) return;
    const [first, second] = firstWords(log.slice(start, end));
    if (first === undefined || second === undefined) {
      // 4.1.0 indexes the missing word.
      if (rules === 'swebench-4.1.0') throw new LogParserError('a line of seaborn output has a status and no test');
      return;
    }
    if (!inside) map.set(second, failed ? 'FAILED' : 'PASSED');
    else if (second === 'PASSED') map.set(first, 'PASSED');
  });
  return map;
}
