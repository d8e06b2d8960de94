import { type InstanceView, type RunView, TERMINAL_INSTANCE_STATES, TERMINAL_RUN_STATES } from '@assay/contracts';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { ApiClient } from '../api.client';
import { ExitError } from '../output';
import type { Submitted } from './judged';

const POLL_MS = 500;

export interface GradingRequest {
  readonly suite: string;
  readonly predictions: readonly Submitted[];
  readonly signal: AbortSignal;
  /** Called with each instance once, when it is terminal. */
  readonly onEnded: (instance: InstanceView) => void;
}

export interface EndedRun {
  readonly run: RunView;
  readonly instances: ReadonlyMap<string, InstanceView>;
}

/** Hands the predictions in, submits their run, and follows it to its end. Throws ExitError for a run that FAILED. */
export async function gradingRun(api: ApiClient, request: GradingRequest): Promise<EndedRun> {
  const { suite, predictions, signal } = request;
  const { digest } = await api.handIn(linesOf(predictions));
  const models = new Set(predictions.map(({ model }) => model));
  const submission = {
    suite,
    // The set is what is evaluated: its own digest names it.
    evaluated: { ref: 'predictions', commit: digest.slice(0, 40), packageVersion: '0.0.0' },
    model: models.size === 1 ? printable([...models].join('')) : `${models.size} models`,
    trigger: 'manual' as const,
    predictions: digest,
  };
  const { runId } = await api.submit(submission, `grade-${randomUUID()}`);
  const told = new Set<string>();
  for (;;) {
    signal.throwIfAborted();
    const run = await api.run(runId);
    const over = (TERMINAL_RUN_STATES as readonly string[]).includes(run.state);
    const { total, ...ended } = run.counts;
    if (over || Object.values(ended).reduce((sum, n) => sum + n, 0) > told.size) {
      const { instances } = await api.instances(runId);
      for (const instance of instances) tellOnce(instance, told, request);
      if (over && run.state === 'FAILED') throw new ExitError(1, run.lastError ?? `${runId} failed`);
      if (over) return { run, instances: new Map(instances.map((each) => [each.instanceId, each])) };
    }
    await waited(signal, total);
  }
}

function tellOnce(instance: InstanceView, told: Set<string>, { onEnded }: GradingRequest): void {
  const isOver = (TERMINAL_INSTANCE_STATES as readonly string[]).includes(instance.state);
  if (!isOver || told.has(instance.instanceId)) return;
  told.add(instance.instanceId);
  onEnded(instance);
}

async function* linesOf(predictions: readonly Submitted[]) {
  for (const { id, model, patch, trajectoryFile } of predictions) {
    const trajectory = trajectoryFile === null ? {} : { trajectory: await readFile(trajectoryFile, 'utf8') };
    yield { instance_id: id as never, model_name_or_path: model, model_patch: patch, ...trajectory };
  }
}

/** A model's name as the API takes it. */
function printable(model: string): string {
  return model.replace(/[^\x20-\x7e]/g, '?').slice(0, 200);
}

/** Larger runs are asked after less often. */
function waited(signal: AbortSignal, total: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, total > 100 ? POLL_MS * 2 : POLL_MS);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done, { once: true });
  });
}
