const realSleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Calls `work` until it succeeds, at most `attempts` times, with growing waits between. */
export async function retry(work, { attempts = 5, base = 100, sleep = realSleep } = {}) {
  let last;
  for (let attempt = 1; attempt < attempts; attempt += 1) {
    try {
      return await work(attempt);
    } catch (error) {
      last = error;
      await sleep(base * 2 ** attempt);
    }
  }
  throw last;
}
