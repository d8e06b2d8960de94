import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ArtifactStore } from '@assay/artifacts';
import type { Digest, FrozenPrediction, InstanceId, PredictionLine } from '@assay/contracts';
import { TaskError } from '@assay/failures';
import type { PredictionSet } from '@assay/suites';
import { predictionLines } from './prediction-lines';

/**
 * A set that was handed in, its patches and trajectories stored one by one, so that a grade fetches its own alone.
 * @throws TaskError `predictions_unknown` where the store has no such set, `predictions_invalid` where it is none
 */
export async function storedPredictions(store: ArtifactStore, digest: Digest): Promise<PredictionSet> {
  const size = await store.stat(digest);
  if (size === null) {
    throw new TaskError(`there is no set of predictions ${digest}`, { code: 'predictions_unknown', phase: 'dispatch' });
  }
  const dir = join(tmpdir(), `assay-predictions-${randomUUID()}`);
  await mkdir(dir, { mode: 0o700 });
  try {
    const file = join(dir, 'set.jsonl');
    await store.fetchTo({ digest, size }, file);
    const of = new Map<InstanceId, FrozenPrediction>();
    for await (const read of predictionLines(createReadStream(file))) {
      if ('problems' in read) throw notASet(digest, read.line);
      of.set(read.prediction.instance_id, await frozen(store, read.prediction));
    }
    return { digest, of };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** An empty patch is none; white space alone is a patch, as officially. */
async function frozen(
  store: ArtifactStore,
  { model_name_or_path: model, model_patch: patch, trajectory }: PredictionLine,
): Promise<FrozenPrediction> {
  const stored = (name: string, type: string, text: string | null | undefined) =>
    text === null || text === undefined || text === '' ? null : store.put(name, type, Buffer.from(text, 'utf8'));
  return {
    model,
    patch: await stored('patch', 'text/x-diff', patch),
    trajectory: await stored('trajectory', 'application/json', trajectory),
  };
}

function notASet(digest: Digest, line: number): TaskError {
  return new TaskError(`${digest} is not a set of predictions: line ${line}`, {
    code: 'predictions_invalid',
    phase: 'dispatch',
  });
}
