import { eventually } from './eventually';
import type { WaitingWork } from './waiting-work';

/** Starts a worker with these settings, whose log lines go to `write`. */
export type StartWorker = (
  settings: Record<string, string>,
  write: (line: string) => void,
) => Promise<{ readonly url: string; stop(): Promise<void> }>;

/** What a worker did that could not reach its engine. */
export interface WhileAway {
  /** Log lines, each about a message that it gave back. */
  readonly refusals: readonly string[];
  readonly claims: number;
  /** What `/readyz` answered. */
  readonly ready: number;
}

/** Starts a worker where no Docker engine is, and waits until it has given the work back twice. Then it is stopped. */
export async function withEngineAway(waiting: WaitingWork, start: StartWorker): Promise<WhileAway> {
  const refusals: string[] = [];
  const before = process.env['DOCKER_HOST'];
  process.env['DOCKER_HOST'] = 'unix:///nowhere/docker.sock';
  const worker = await start({ ...waiting.env, ASSAY_SANDBOXES: 'docker' }, (line) => {
    if (line.includes('Not able to work now; giving the message back unclaimed')) refusals.push(line);
  });
  try {
    await eventually(() => refusals.length >= 2);
    const { status } = await fetch(`${worker.url}/readyz`);
    return { refusals, claims: waiting.claims, ready: status };
  } finally {
    await worker.stop();
    if (before === undefined) delete process.env['DOCKER_HOST'];
    else process.env['DOCKER_HOST'] = before;
  }
}

/** Starts a worker that can work, and waits until it has claimed. Then it is stopped. */
export async function untilClaimed(waiting: WaitingWork, start: StartWorker): Promise<void> {
  const worker = await start({ ...waiting.env, ASSAY_SANDBOXES: 'process' }, () => undefined);
  try {
    await eventually(() => waiting.claims === 1);
  } finally {
    await worker.stop();
  }
}
