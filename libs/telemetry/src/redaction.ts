const MARK = '[redacted]';

/** Keys whose values are secrets, wherever they stand. Plural counters such as `promptTokens` are not. */
const SECRET_KEY =
  /(?:authorization|cookie|passw(?:or)?d|passphrase|secret|token|api[-_]?key|private[-_]?key|access[-_]?key|credentials?)$/i;
const SECRET_KEY_IN_JSON = new RegExp(`${SECRET_KEY.source.replace(/\$$/, '')}"\\s*:`, 'i');

/**
 * `scheme://user:password@host`: the password of a connection string. Every repetition has an end: a line may hold one word of
 * a hundred thousand letters.
 */
const URL_PASSWORD = /\b([a-z][a-z0-9+.-]{0,29}:\/\/[^\s:/@"]{0,200}):[^\s/"]{1,1000}@/gi;

/** Shorter values would blot out ordinary text. */
const SHORTEST = 6;

const forms = new Set<string>();

/**
 * Makes every later log line and `redactText` hide this value, wherever and in whatever usual form it appears: as it
 * is, inside JSON (also JSON within a JSON string), in base64 or in a URL. Values shorter than six characters are not registered.
 */
export function registerSecret(value: string): void {
  if (value.length < SHORTEST) return;
  forms.add(value);
  const inJson = JSON.stringify(value).slice(1, -1);
  forms.add(inJson);
  forms.add(JSON.stringify(inJson).slice(1, -1));
  forms.add(encodeURIComponent(value));
  forms.add(Buffer.from(value, 'utf8').toString('base64'));
  forms.add(Buffer.from(value, 'utf8').toString('base64url'));
}

/** The text without registered secrets and without the passwords of connection strings. */
export function redactText(text: string): string {
  let clean = text.replace(URL_PASSWORD, `$1:${MARK}@`);
  for (const form of forms) clean = clean.replaceAll(form, MARK);
  return clean;
}

/** One JSON log line, redacted by key at any depth and by value. Ends as the line ended. */
export function redactLine(line: string): string {
  return redactText(SECRET_KEY_IN_JSON.test(line) ? redactKeys(line) : line);
}

function redactKeys(line: string): string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    // Not a line of the logger's own making: its text is still redacted by value.
    return line;
  }
  return `${JSON.stringify(scrubbed(parsed))}${line.endsWith('\n') ? '\n' : ''}`;
}

function scrubbed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(scrubbed);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      SECRET_KEY.test(key) && member !== null && member !== '' ? MARK : scrubbed(member),
    ]),
  );
}
