import type { GradingRules } from '../rules';
import { isSkipSummary, shared, statusAt, statusEndsAt, type StatusMap } from '../status';
import { digitsEnd } from '../text/digits';
import { eachLine } from '../text/lines';
import { Pieces } from '../text/pieces';
import { firstWords, isSpace, singleSpaced, strip } from '../text/python-space';

/** Newer and older pytest output: the status stands first or last in a line; an id may hold spaces. */
export function parsePytestV2(log: string, rules: GradingRules): StatusMap {
  const record = rules === 'swebench-4.1.0' ? recordFirstWords : recordWholeId;
  const map: StatusMap = new Map();
  eachLine(log, (start, end) => {
    const dropped = nextDropped(log, start, end);
    if (dropped === end) {
      if (statusAt(log, start) || statusEndsAt(log, end)) record(map, log.slice(start, end));
    } else if (mayHaveStatus(log, start, dropped, end)) {
      record(map, cleaned(log.slice(start, end), dropped - start));
    }
  });
  return map;
}

const LONGEST_STATUS = 'SKIPPED'.length;

/**
 * False when the line between `start` and `end`, cleaned, neither starts nor ends with a status: then it need not be
 * built. The first thing to be deleted stands at `dropped`.
 */
function mayHaveStatus(log: string, start: number, dropped: number, end: number): boolean {
  let head = '';
  let last = start;
  let from = start;
  for (let at = dropped; from < end; at = nextDropped(log, from, end)) {
    if (head.length < LONGEST_STATUS) head += log.slice(from, Math.min(at, from + LONGEST_STATUS));
    if (at > from) last = at;
    from = at < end ? droppedEnd(log, at) : end;
  }
  return statusAt(head, 0) || 'DRL'.includes(log.charAt(last - 1));
}

/** The line without what the harness deletes from it, the first of which stands at `dropped`. */
function cleaned(line: string, dropped: number): string {
  const kept = new Pieces();
  let from = 0;
  for (let at = dropped; at < line.length; at = nextDropped(line, from, line.length)) {
    if (at > from) kept.push(line.slice(from, at));
    from = droppedEnd(line, at);
  }
  kept.push(line.slice(from));
  return kept.toString();
}

/** Where the next thing that the harness deletes starts, between `from` and `to`; `to` where there is none. */
function nextDropped(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && droppedEnd(text, at) === at) at += 1;
  return at;
}

const BRACKET = 0x5b;

/**
 * The harness deletes what is left of a colour when its escape is gone (`\[\d+m`), then the controls 1 to 31, tabs among
 * them. Where such a thing ends that starts at `at`; `at` itself where none does.
 */
function droppedEnd(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code < 0x20 && code > 0) return at + 1;
  if (code !== BRACKET) return at;
  const end = digitsEnd(text, at + 1);
  return end > at + 1 && text[end] === 'm' ? end + 1 : at;
}

function recordWholeId(map: StatusMap, line: string): void {
  if (statusAt(line, 0)) {
    const cut = line.startsWith('FAILED') ? (line.split(' - ', 1)[0] ?? '') : line;
    const [status, second] = firstWords(cut);
    if (status === undefined || second === undefined || isSkipSummary(status, second)) return;
    map.set(singleSpaced(cut.slice(cut.indexOf(status) + status.length)), shared(status));
  } else if (statusEndsAt(line, line.length)) {
    const stripped = strip(line);
    let cut = stripped.length;
    while (cut > 0 && !isSpace(stripped.charCodeAt(cut - 1))) cut -= 1;
    if (cut > 0) map.set(singleSpaced(stripped.slice(0, cut)), shared(stripped.slice(cut)));
  }
}

/** The rules of 4.1.0: an id ends at its first space. */
function recordFirstWords(map: StatusMap, line: string): void {
  const starts = statusAt(line, 0);
  if (!starts && !statusEndsAt(line, line.length)) return;
  const [first, second] = firstWords(line.startsWith('FAILED') ? line.replaceAll(' - ', ' ') : line);
  if (first === undefined || second === undefined) return;
  if (starts) map.set(second, shared(first));
  else map.set(first, shared(second));
}
