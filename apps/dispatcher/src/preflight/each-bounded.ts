/** Does `work` for every item, so many at the same time; resolves when all are done, rejects with the first failure. */
export async function eachBounded<T>(
  items: readonly T[],
  concurrency: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = items.values();
  await Promise.all(
    Array.from({ length: Math.min(concurrency, items.length) }, async () => {
      for (const item of left) await work(item);
    }),
  );
}
