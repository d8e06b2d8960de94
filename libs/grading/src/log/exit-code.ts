import { LogParserError } from '../errors';
import { isZero, MOST_DIGITS } from '../text/digits';
import { SPACE_CLASS } from '../text/python-space';
import { EXIT_CODE_MARKER } from './markers';

/** One exit-code line of a log. */
export interface ExitCodeMark {
  readonly at: number;
  /** As printed: an optional `-` and Unicode decimal digits. */
  readonly text: string;
}

const PATTERN = `${EXIT_CODE_MARKER}:${SPACE_CLASS}*(-?\\p{Nd}+)`;

/** Every exit-code marker with a number, in order. */
export function exitCodeMarks(content: string): ExitCodeMark[] {
  return [...content.matchAll(new RegExp(PATTERN, 'gu'))].map((match) => ({ at: match.index, text: match[1] ?? '' }));
}

/**
 * True when the first exit-code marker tells a non-zero exit of the test command. The first wins, so tests can print
 * their own before it: a known hole of the harness, kept, and reported as a suspicion.
 */
export function testsExitedNonZero(content: string): boolean {
  const text = new RegExp(PATTERN, 'u').exec(content)?.[1];
  if (text === undefined) return false;
  const digits = text.replace('-', '');
  if (digits.length > MOST_DIGITS && Array.from(digits).length > MOST_DIGITS) {
    throw new LogParserError(`an exit code of more than ${MOST_DIGITS} digits`);
  }
  return !isZero(digits);
}
