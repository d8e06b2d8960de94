import { LogParserError } from '../errors';
import type { StatusMap } from '../status';
import { eachLine } from '../text/lines';
import { firstWords, strip } from '../text/python-space';
import { interruptedTests } from './django-interrupted';

const VERSION_TEST = '--version is equivalent to version';
const MIGRATION_NOISE = 'Applying sites.0002_alter_domain_unique...test_no_migrations';
const PASS_ENDINGS = [' ... ok', ' ... OK', ' ...  OK'];

/** unittest's verbose output: `test (module.Class) ... ok`, with the outcome perhaps on a later line. */
export function parseDjango(log: string): StatusMap {
  const map: StatusMap = new Map();
  let previous: string | null = null;
  eachLine(log, (start, end) => {
    const line = strip(log.slice(start, end));
    if (line.includes(VERSION_TEST)) map.set(VERSION_TEST, 'PASSED');
    const dots = line.indexOf(' ... ');
    if (dots !== -1) {
      previous = line.slice(0, dots);
      recordOutcome(map, line);
    }
    if (line.startsWith('FAIL:')) map.set(secondWord(line), 'FAILED');
    if (line.startsWith('ERROR:')) map.set(secondWord(line), 'ERROR');
    // The outcome of a test that printed something of its own in between.
    if (line.startsWith('ok') && previous !== null) map.set(previous, 'PASSED');
  });
  for (const test of interruptedTests(log)) map.set(test, 'PASSED');
  return map;
}

/** The rules for a line that holds ` ... `, in the order of the harness. */
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
  if (line.endsWith(' ... ERROR')) map.set(line.slice(0, line.indexOf(' ... ERROR')), 'ERROR');
}

function secondWord(line: string): string {
  const second = firstWords(line)[1];
  if (second === undefined) throw new LogParserError(`"${line}" names no test`);
  return second;
}
