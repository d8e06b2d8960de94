export type JsonObject = Readonly<Record<string, unknown>>;

/** The object that a line holds; null for every other line. */
export function jsonLine(line: string): JsonObject | null {
  if (!line.startsWith('{')) return null;
  try {
    const value: unknown = JSON.parse(line);
    return objectOf(value);
  } catch {
    return null;
  }
}

export function objectOf(value: unknown): JsonObject | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
}

export function objectsOf(value: unknown): JsonObject[] {
  const list: unknown[] = Array.isArray(value) ? value : [];
  return list.map(objectOf).filter((one) => one !== null);
}

export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** A count; 0 for what is none. */
export function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}

/** A tool's result as text: a string, a list of text parts, or whatever else as JSON. */
export function contentText(value: unknown): string {
  if (typeof value === 'string') return value;
  const parts = objectsOf(value).map(({ text }) => text);
  if (parts.length > 0 && parts.every((text) => typeof text === 'string')) return parts.join('\n');
  return value === undefined || value === null ? '' : JSON.stringify(value);
}
