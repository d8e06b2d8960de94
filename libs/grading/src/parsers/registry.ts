import { UnknownParserError } from '../errors';
import { graderVersion, type GradingRules } from '../rules';
import type { StatusMap } from '../status';
import { parseDjango } from './django';
import { parseMatplotlib } from './matplotlib';
import { parsePytest } from './pytest';
import { parsePytestOptions } from './pytest-options';
import { parsePytestV2 } from './pytest-v2';
import { parseSeaborn } from './seaborn';
import { parseSympy } from './sympy';

type RuledParser = (log: string, rules: GradingRules) => StatusMap;

const pytest: RuledParser = (log, rules) => parsePytest(log, rules);

/** By the names that rows carry in `log_parser` (the harness's PARSER_REGISTRY, Python part). */
const PARSERS: ReadonlyMap<string, RuledParser> = new Map<string, RuledParser>([
  ['parse_log_pytest', pytest],
  ['parse_log_astroid', pytest],
  ['parse_log_flask', pytest],
  ['parse_log_marshmallow', pytest],
  ['parse_log_pvlib', pytest],
  ['parse_log_pyvista', pytest],
  ['parse_log_sqlfluff', pytest],
  ['parse_log_xarray', pytest],
  ['parse_log_pytest_options', parsePytestOptions],
  ['parse_log_pydicom', parsePytestOptions],
  ['parse_log_requests', parsePytestOptions],
  ['parse_log_pylint', parsePytestOptions],
  ['parse_log_pytest_v2', parsePytestV2],
  ['parse_log_astropy', parsePytestV2],
  ['parse_log_scikit', parsePytestV2],
  ['parse_log_sphinx', parsePytestV2],
  ['parse_log_matplotlib', parseMatplotlib],
  ['parse_log_seaborn', parseSeaborn],
  ['parse_log_sympy', parseSympy],
  ['parse_log_django', parseDjango],
]);

/** Names that `parserNamed` takes. */
export const PARSER_NAMES: readonly string[] = [...PARSERS.keys()];

/** Reads one log (or the part between its markers) into statuses. Throws LogParserError where the official one raises. */
export type LogParser = (log: string) => StatusMap;

/** The parser that a row's `log_parser` names. Throws UnknownParserError. */
export function parserNamed(name: string, rules: GradingRules = graderVersion): LogParser {
  const parser = PARSERS.get(name);
  if (parser === undefined) throw new UnknownParserError(name, PARSER_NAMES);
  return (log) => parser(log, rules);
}
