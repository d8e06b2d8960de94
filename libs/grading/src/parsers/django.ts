import { LogParserError } from '../errors';
import type { StatusMap } from '../status';
import { eachLine } from '../text/lines';
import { placesBehind } from '../text/places';
import { firstWords, spacesEnd, strip, stripEnd } from '../text/python-space';
import { interruptedTests } from './django-interrupted';

const VERSION_TEST = '--version is equivalent to version';
const MIGRATION_NOISE = 'Applying sites.0002_alter_domain_unique...test_no_migrations';
const PASS_ENDINGS = [' ... ok', ' ... OK', ' ...  OK'];

/** unittest's verbose output: `test (module.Class) ... ok`, with the outcome perhaps on a later line. */
export function parseDjango(log: string): StatusMap {
  const map: StatusMap = new Map();
  const dots = placesBehind(log, ' ... ');
  const versionTests = placesBehind(log, VERSION_TEST);
  let previous: string | null = null;
  eachLine(log, (lineFrom, lineTo) => {
    const start = spacesEnd(log, lineFrom, lineTo);
    if (start === lineTo) return;
    const end = stripEnd(log, start, lineTo);
    if (versionTests(start) + VERSION_TEST.length <= end) map.set(VERSION_TEST, 'PASSED');
    const hasDots = dots(start) + ' ... '.length <= end;
    if (hasDots) previous = log.slice(start, dots(start));
    if (hasDots || startsWithHeading(log, start)) recordOutcome(map, log.slice(start, end));
    // The outcome of a test that printed something of its own in between.
    if (previous !== null && log[start] === 'o' && log[start + 1] === 'k') map.set(previous, 'PASSED');
  });
  for (const test of interruptedTests(log)) map.set(test, 'PASSED');
  return map;
}

function startsWithHeading(log: string, at: number): boolean {
  // Looking at the character first spares most lines two calls.
  const first = log[at];
  return (first === 'F' && log.startsWith('FAIL:', at)) || (first === 'E' && log.startsWith('ERROR:', at));
}

/** The rules for one line, in the order of the harness; a line may match several. */
function recordOutcome(map: StatusMap, whole: string): void {
  let line = whole;
  const ending = PASS_ENDINGS.find((candidate) => line.endsWith(candidate));
  if (ending !== undefined) {
    if (line.startsWith(MIGRATION_NOISE)) line = strip(line.slice(line.indexOf('...') + 3));
    map.set(line.slice(0, line.length - ending.length), 'PASSED');
  }
  const skipped = line.indexOf(' ... skipped');
  if (skipped !== -1) map.set(line.slice(0, skipped), 'SKIPPED');
  if (line.endsWith(' ... FAIL')) map.set(line.slice(0, line.indexOf(' ... FAIL')), 'FAILED');
  if (line.startsWith('FAIL:')) map.set(secondWord(line), 'FAILED');
  if (line.endsWith(' ... ERROR')) map.set(line.slice(0, line.indexOf(' ... ERROR')), 'ERROR');
  if (line.startsWith('ERROR:')) map.set(secondWord(line), 'ERROR');
}

function secondWord(line: string): string {
  const second = firstWords(line)[1];
  if (second === undefined) throw new LogParserError(`"${line.slice(0, 200)}" names no test`);
  return second;
}
