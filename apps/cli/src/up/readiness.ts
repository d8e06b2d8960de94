import { type Fetch, fetchTrusting } from '../trusting-fetch';

/** Looks at a path of a service of this machine. */
export type Look = (path: string) => Promise<Response>;

const LOOK_MS = 2_000;

/** Over plain HTTP. */
export function plainly(port: number): Look {
  return (path) => fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(LOOK_MS) });
}

/** Over HTTPS, by a certificate that the service makes when it starts. */
export function securely(port: number, certificate: string): Look {
  let trusting: Fetch | null = null;
  return async (path) => {
    trusting ??= fetchTrusting(certificate);
    return trusting(`https://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(LOOK_MS) });
  };
}

/** Resolves when /readyz answers 200; throws after `timeoutMs` with the last answer. */
export async function ready(name: string, look: Look, timeoutMs: number, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  let last = 'no answer';
  while (Date.now() < deadline) {
    signal.throwIfAborted();
    try {
      const answer = await look('/readyz');
      if (answer.ok) return;
      last = `${answer.status} ${await answer.text()}`;
    } catch (error) {
      last = error instanceof Error ? error.message : String(error);
    }
    await pause(100);
  }
  throw new Error(`${name} is not ready after ${timeoutMs / 1000} s: ${last}`);
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
