import type { GradingRules } from '../rules';
import { endsWithStatus, isSkipSummary, statusAt, type StatusMap } from '../status';
import { eachLine } from '../text/lines';
import { firstWords, isSpace, singleSpaced, strip } from '../text/python-space';

const COLOUR = /\[\p{Nd}+m/gu;
/** The characters that the harness deletes from a line: 1 to 31, tabs among them. */
const CONTROLS = /[\x01-\x1f]/g;

/** Newer and older pytest output: the status stands first or last in a line; an id may hold spaces. */
export function parsePytestV2(log: string, rules: GradingRules): StatusMap {
  const record = rules === 'swebench-4.1.0' ? recordFirstWords : recordWholeId;
  const map: StatusMap = new Map();
  eachLine(log, (start, end) => {
    if (start === end) return;
    const raw = log.slice(start, end);
    record(map, mayNeedCleaning(raw) ? raw.replace(COLOUR, '').replace(CONTROLS, '') : raw);
  });
  return map;
}

/** True where a control stands, or a `[` before a digit or what may be one outside ASCII. Cheaper than the expressions themselves. */
function mayNeedCleaning(line: string): boolean {
  for (let at = 0; at < line.length; at += 1) {
    const code = line.charCodeAt(at);
    if (code < 0x20 && code > 0) return true;
    if (code !== 0x5b) continue;
    const next = line.charCodeAt(at + 1);
    if ((next >= 0x30 && next <= 0x39) || next > 0x7f) return true;
  }
  return false;
}

function recordWholeId(map: StatusMap, line: string): void {
  if (statusAt(line, 0)) {
    const cut = line.startsWith('FAILED') ? (line.split(' - ', 1)[0] ?? '') : line;
    const [status, second] = firstWords(cut);
    if (status === undefined || second === undefined || isSkipSummary(status, second)) return;
    map.set(singleSpaced(cut.slice(cut.indexOf(status) + status.length)), status);
  } else if (endsWithStatus(line)) {
    const stripped = strip(line);
    let cut = stripped.length;
    while (cut > 0 && !isSpace(stripped.charCodeAt(cut - 1))) cut -= 1;
    if (cut > 0) map.set(singleSpaced(stripped.slice(0, cut)), stripped.slice(cut));
  }
}

/** The rules of 4.1.0: an id ends at its first space. */
function recordFirstWords(map: StatusMap, line: string): void {
  const starts = statusAt(line, 0);
  if (!starts && !endsWithStatus(line)) return;
  const [first, second] = firstWords(line.startsWith('FAILED') ? line.replaceAll(' - ', ' ') : line);
  if (first === undefined || second === undefined) return;
  if (starts) map.set(second, first);
  else map.set(first, second);
}
