#!/bin/bash
set -euo pipefail
cd "${APP_DIR:-/app}"
cat > src/retry.mjs <<'EOF'
const realSleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Calls `work` until it succeeds, at most `attempts` times, with growing waits between. */
export async function retry(work, { attempts = 5, base = 100, sleep = realSleep } = {}) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work(attempt);
    } catch (error) {
      if (attempt >= attempts) throw error;
      await sleep(base * 2 ** (attempt - 1));
    }
  }
}
EOF
