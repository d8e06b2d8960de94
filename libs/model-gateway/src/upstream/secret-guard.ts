/** The provider sent the key back; what came before it was passed on, it was not. */
export class SecretEchoed extends Error {}

/**
 * Lets bytes through as they are, except that the secret never comes out: what might be its beginning is held until the
 * next piece tells. Throws SecretEchoed at the secret itself.
 */
export class SecretGuard {
  readonly #secret: Buffer;
  #held: Buffer = Buffer.alloc(0);

  constructor(secret: string) {
    this.#secret = Buffer.from(secret);
  }

  pass(chunk: Buffer): Buffer {
    const all = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    if (all.includes(this.#secret)) throw new SecretEchoed('the provider sent the key back');
    const keep = this.beginningAtEnd(all);
    this.#held = Buffer.from(all.subarray(all.length - keep));
    return all.subarray(0, all.length - keep);
  }

  /** What was held at the end of all: it was no secret after all. */
  end(): Buffer {
    const rest = this.#held;
    this.#held = Buffer.alloc(0);
    return rest;
  }

  private beginningAtEnd(bytes: Buffer): number {
    for (let length = Math.min(this.#secret.length - 1, bytes.length); length > 0; length -= 1) {
      if (bytes.subarray(bytes.length - length).equals(this.#secret.subarray(0, length))) return length;
    }
    return 0;
  }
}
