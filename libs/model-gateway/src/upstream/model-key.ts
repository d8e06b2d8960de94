/** The provider's key, which no log, inspection or JSON of what holds it shows. */
export class ModelKey {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** For the header of a request, and for finding it where it must not be. */
  reveal(): string {
    return this.#value;
  }
}
