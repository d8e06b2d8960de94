import { InfraError } from '@assay/failures';
import type { Phase } from '@assay/contracts';

/** Waits for `work` no longer than `ms`; what it throws is thrown on, what takes longer is left to the reaper. */
export async function withinTime(ms: number, work: () => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** What an engine that works takes for a short answer, even under load. Milliseconds. */
const SHORT_ANSWER_MS = 60_000;

/** @throws InfraError `engine_timed_out` when the engine does not answer a call in time; the call itself goes on */
export async function answered<T>(call: Promise<T>, phase: Phase, ms = SHORT_ANSWER_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const message = `the Docker engine did not answer within ${ms / 1000} s`;
      reject(new InfraError(message, { code: 'engine_timed_out', phase }));
    }, ms);
  });
  try {
    return await Promise.race([call, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** What a stream of the engine gives, as long as no part of it takes longer than `ms`; our own slowness is no reason. */
export async function* flowing(
  stream: AsyncIterable<Buffer>,
  phase: Phase,
  ms = SHORT_ANSWER_MS,
): AsyncGenerator<Buffer> {
  const parts = stream[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await answered(parts.next(), phase, ms);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    void parts.return?.();
  }
}
