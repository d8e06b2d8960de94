const REDACTED = Buffer.from('[redacted]');

/** Takes secrets out of bytes by value, also where a secret lies across pieces. */
export class Redactor {
  /** Longest first: of two that begin at the same place the longer one is meant. */
  readonly #forms: readonly Buffer[];

  constructor(secrets: readonly string[]) {
    const forms = new Set(secrets.flatMap(formsOf).filter((form) => form !== ''));
    this.#forms = [...forms].map((form) => Buffer.from(form)).sort((a, b) => b.length - a.length);
  }

  text(value: string): string {
    return this.all(Buffer.from(value)).toString('utf8');
  }

  all(bytes: Buffer): Buffer {
    const { done, rest } = this.replaced(bytes);
    return Buffer.concat([...done, rest]);
  }

  async *stream(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let held: Buffer = Buffer.alloc(0);
    const hold = Math.max(0, (this.#forms[0]?.length ?? 1) - 1);
    for await (const chunk of chunks) {
      const { done, rest } = this.replaced(held.length === 0 ? chunk : Buffer.concat([held, chunk]));
      yield* done;
      const ready = Math.max(0, rest.length - hold);
      if (ready > 0) yield rest.subarray(0, ready);
      held = Buffer.from(rest.subarray(ready));
    }
    if (held.length > 0) yield held;
  }

  /** What lies before and in place of each secret, and what follows the last one. */
  private replaced(bytes: Buffer): { done: Buffer[]; rest: Buffer } {
    const done: Buffer[] = [];
    let rest = bytes;
    for (let next = this.first(rest); next !== null; next = this.first(rest)) {
      done.push(rest.subarray(0, next.at), REDACTED);
      rest = rest.subarray(next.at + next.length);
    }
    return { done, rest };
  }

  private first(bytes: Buffer): { at: number; length: number } | null {
    let found: { at: number; length: number } | null = null;
    for (const form of this.#forms) {
      const at = bytes.indexOf(form);
      if (at !== -1 && (found === null || at < found.at)) found = { at, length: form.length };
    }
    return found;
  }
}

/** A secret as it stands in plain text, in JSON (with and without escaped slashes) and in a URL. */
function formsOf(secret: string): string[] {
  const inJson = JSON.stringify(secret).slice(1, -1);
  return [secret, inJson, inJson.replaceAll('/', '\\/'), encodeURIComponent(secret)];
}
