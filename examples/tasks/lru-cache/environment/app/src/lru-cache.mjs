/** Keeps at most `capacity` entries. */
export class LruCache {
  #entries = new Map();
  #capacity;

  constructor(capacity) {
    this.#capacity = capacity;
  }

  get size() {
    return this.#entries.size;
  }

  get(key) {
    return this.#entries.get(key);
  }

  set(key, value) {
    if (this.#entries.size >= this.#capacity) {
      const [oldest] = this.#entries.keys();
      this.#entries.delete(oldest);
    }
    this.#entries.set(key, value);
  }
}
