import { LogParserError } from '../errors';
import { digitsEnd, isZero, MOST_DIGITS } from '../text/digits';
import { somewhere } from '../text/places';
import { spacesEnd } from '../text/python-space';
import { EXIT_CODE_MARKER } from './markers';

/** One exit-code marker of a log. */
export interface ExitCodeMark {
  readonly at: number;
  /** As printed: an optional `-` and decimal digits of any script. */
  readonly text: string;
}

/**
 * Shows `visit` every exit-code marker with a number (`>>>>> Test Exit Code:\s*(-?\d+)`), in order, until it answers
 * true.
 */
export function someExitCodeMark(content: string, visit: (mark: ExitCodeMark) => boolean): boolean {
  return somewhere(content, `${EXIT_CODE_MARKER}:`, (at, after) => {
    const start = spacesEnd(content, after);
    const digits = content[start] === '-' ? start + 1 : start;
    const end = digitsEnd(content, digits);
    return end > digits && visit({ at, text: content.slice(start, end) });
  });
}

/**
 * True when the first exit-code marker tells a non-zero exit of the test command. The first wins, so tests can print
 * their own before it: a known hole of the harness, kept, and reported as a suspicion.
 * @throws LogParserError on more digits than Python makes a number of
 */
export function testsExitedNonZero(content: string): boolean {
  let nonZero = false;
  someExitCodeMark(content, ({ text }) => {
    const digits = text.replace('-', '');
    // A digit beyond 16 bits is two units.
    if (digits.length > 2 * MOST_DIGITS || Array.from(digits).length > MOST_DIGITS) {
      throw new LogParserError(`an exit code of more than ${MOST_DIGITS} digits`);
    }
    nonZero = !isZero(digits);
    return true;
  });
  return nonZero;
}
