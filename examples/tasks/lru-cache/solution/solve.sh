#!/bin/bash
set -euo pipefail
cd "${APP_DIR:-/app}"
cat > src/lru-cache.mjs <<'EOF'
/** Keeps at most `capacity` entries: the one used least recently goes first. */
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
    if (!this.#entries.has(key)) return undefined;
    const value = this.#entries.get(key);
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key, value) {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.#capacity) {
      const [oldest] = this.#entries.keys();
      this.#entries.delete(oldest);
    }
  }
}
EOF
