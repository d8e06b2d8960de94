/** What came first: the end of something, `ms` milliseconds, or a signal. What rejects is thrown on. */
export async function firstOf(
  ended: Promise<void>,
  ms: number,
  signal?: AbortSignal,
): Promise<'ended' | 'time' | 'signal'> {
  let timer: NodeJS.Timeout | undefined;
  let onAbort: () => void = () => undefined;
  const late = new Promise<'time'>((resolve) => {
    timer = setTimeout(resolve, ms, 'time');
  });
  const aborted = new Promise<'signal'>((resolve) => {
    onAbort = () => {
      resolve('signal');
    };
    if (signal?.aborted === true) onAbort();
    signal?.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([ended.then(() => 'ended' as const), late, aborted]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}
