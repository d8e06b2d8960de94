import { HttpStatus } from '@nestjs/common';
import { Refusal } from './refusal';

/** No message of ours is half as deep; what walks a value by calling itself must not run out of stack. */
const DEEPEST = 64;

const [QUOTE, BACKSLASH] = ['"', '\\'].map((sign) => sign.charCodeAt(0));
const OPENING = new Set(['[', '{'].map((sign) => sign.charCodeAt(0)));
const CLOSING = new Set([']', '}'].map((sign) => sign.charCodeAt(0)));

/**
 * Refuses (400) JSON that is nested too deep, before it is parsed: the check of a body parser. All signs that count are
 * single bytes in UTF-8, and no byte of a longer sign is one of them.
 */
export function refuseDeepJson(_request: unknown, _response: unknown, json: Buffer): void {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] ?? 0;
    if (quoted) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) quoted = false;
    } else if (byte === QUOTE) quoted = true;
    else if (OPENING.has(byte)) depth += 1;
    else if (CLOSING.has(byte)) depth -= 1;
    if (depth > DEEPEST) throw new Refusal(HttpStatus.BAD_REQUEST, `the JSON is nested deeper than ${DEEPEST} levels`);
  }
}
