import type { GradingRules } from '../rules';
import type { StatusMap } from '../status';
import { parsePytest } from './pytest';

/** pytest, with the mouse buttons' names replaced by the numbers that older Python versions print. */
export function parseMatplotlib(log: string, rules: GradingRules): StatusMap {
  return parsePytest(log, rules, {
    line: (line) => line.replaceAll('MouseButton.LEFT', '1').replaceAll('MouseButton.RIGHT', '3'),
  });
}
