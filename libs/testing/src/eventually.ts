/**
 * Resolves as soon as `condition` holds (returns or resolves to true), trying every 20 ms.
 * Throws after `timeoutMs` (default 10 s) with what was waited for, and the condition's last error if it threw.
 */
export async function eventually(
  condition: () => boolean | Promise<boolean>,
  { timeoutMs = 10_000, what = 'the condition' }: { timeoutMs?: number; what?: string } = {},
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  let last: unknown = null;
  for (;;) {
    try {
      if (await condition()) return;
      last = null;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) {
      throw new Error(`waited ${timeoutMs} ms for ${what}`, last === null ? undefined : { cause: last });
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
