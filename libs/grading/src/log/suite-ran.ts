import { digitsEnd, isOneToNine, positiveNumberBefore, positiveNumberEnd } from '../text/digits';
import { endsLine } from '../text/lines';
import { somewhere } from '../text/places';
import { spacesEnd } from '../text/python-space';

/** A fixed text, and what must stand around it: it starts at `from` and ends at `to`. */
interface Sign {
  readonly text: string;
  readonly holds: (content: string, from: number, to: number) => boolean;
}

/**
 * Summaries of JavaScript runners that show that a suite ran: the alternatives of the harness's SUITE_RAN, each beside
 * its expression.
 */
const SIGNS: readonly Sign[] = [
  // Executed [1-9]\d* of \d+
  { text: 'Executed ', holds: (content, _, to) => hasOutOf(content, positiveNumberEnd(content, to)) },
  // TOTAL: [1-9]\d* (?:SUCCESS|FAILED)
  { text: 'TOTAL: ', holds: (content, _, to) => hasOutcome(content, positiveNumberEnd(content, to)) },
  // Tests:\s+[1-9]\d*
  { text: 'Tests:', holds: (content, _, to) => isOneToNine(content, afterSpaces(content, to)) },
  // Test Suites:\s+(?:\d+ \w+, )*[1-9]\d* total
  { text: 'Test Suites:', holds: (content, _, to) => hasTotal(content, afterSpaces(content, to)) },
  // ^# tests [1-9]\d*
  { text: '# tests ', holds: (content, from, to) => startsLine(content, from) && isOneToNine(content, to) },
  // [1-9]\d* passing
  { text: ' passing', holds: positiveNumberBefore },
  // [1-9]\d* specs?, \d+ failures?
  { text: ' spec', holds: (content, from, to) => positiveNumberBefore(content, from) && hasFailures(content, to) },
  // ': ok$
  { text: "': ok", holds: (content, _, to) => endsLine(content, to) },
];

/** True when a log without a parsed result still shows that its tests ran. */
export function suiteRan(content: string): boolean {
  return SIGNS.some(({ text, holds }) => somewhere(content, text, (from, to) => holds(content, from, to)));
}

/** Where `\s+` that starts at `at` ends; Infinity where it does not match. */
function afterSpaces(content: string, at: number): number {
  const end = spacesEnd(content, at);
  return end > at ? end : Infinity;
}

function startsLine(content: string, at: number): boolean {
  return at === 0 || content[at - 1] === '\n';
}

function hasOutOf(content: string, at: number): boolean {
  return content.startsWith(' of ', at) && digitsEnd(content, at + 4) > at + 4;
}

function hasOutcome(content: string, at: number): boolean {
  return content.startsWith(' SUCCESS', at) || content.startsWith(' FAILED', at);
}

function hasFailures(content: string, at: number): boolean {
  const from = content.startsWith('s', at) ? at + 1 : at;
  const to = digitsEnd(content, from + 2);
  return content.startsWith(', ', from) && to > from + 2 && content.startsWith(' failure', to);
}

function hasTotal(content: string, at: number): boolean {
  for (let from = at; ;) {
    if (content.startsWith(' total', positiveNumberEnd(content, from))) return true;
    const number = digitsEnd(content, from);
    if (number === from || content[number] !== ' ') return false;
    const word = wordEnd(content, number + 1);
    if (word === number + 1 || !content.startsWith(', ', word)) return false;
    from = word + 2;
  }
}

const WORD = /^[\p{L}\p{N}_]$/u;

/** Where the run of `\w` that starts at `at` ends. */
function wordEnd(content: string, at: number): number {
  let end = at;
  for (;;) {
    const codePoint = content.codePointAt(end);
    if (codePoint === undefined || !WORD.test(String.fromCodePoint(codePoint))) return end;
    end += codePoint > 0xffff ? 2 : 1;
  }
}
