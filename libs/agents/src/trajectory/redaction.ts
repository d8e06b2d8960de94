/** Shorter values would be found everywhere. */
const SHORTEST = 6;
const MARK = '[redacted]';

/** Replaces secrets in whatever is written down. */
export interface Redactor {
  text(text: string): string;
  /** The same in every string of a value, names of members included. */
  deep<T>(value: T): T;
}

/**
 * Redacts by value: each secret as it stands, and as JSON, URLs and base64 write it. Values of fewer than 6 characters are
 * no secrets.
 */
export function redactorOf(secrets: readonly string[]): Redactor {
  const values = new Set(secrets.filter(({ length }) => length >= SHORTEST).flatMap(writtenForms));
  // The longest first: one secret may be the beginning of another.
  const forms = [...values].sort((a, b) => b.length - a.length);
  const text = (from: string): string => forms.reduce((kept, form) => kept.replaceAll(form, MARK), from);
  const deep = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value);
    if (Array.isArray(value)) return value.map(deep);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [text(name), deep(member)]));
  };
  return { text, deep: <T>(value: T): T => (forms.length === 0 ? value : (deep(value) as T)) };
}

function writtenForms(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8');
  const base64 = bytes.toString('base64').replace(/=+$/, '');
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    base64,
    bytes.toString('base64url'),
  ].filter(({ length }) => length >= SHORTEST);
}
