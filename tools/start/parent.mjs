const LOOK_MS = 250;

/** Resolves when the process that started this one has ended: its orphans get another parent. */
export function endOfParent() {
  const parent = process.ppid;
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(timer);
      resolve();
    }, LOOK_MS);
    timer.unref();
  });
}
