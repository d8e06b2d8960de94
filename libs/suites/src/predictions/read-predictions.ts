import type { InstanceId } from '@assay/contracts';
import { assertNever, problemLines } from '@assay/contracts';
import { TaskError } from '@assay/failures';
import { fileEntries, jsonEntries, lineEntries } from './entries';
import { type Located, locatePredictions, trajectoryOf } from './locate-predictions';
import { type Entry, type Prediction, type PredictionProblem, type Predictions, readEntry } from './prediction';
import { unreadable } from './unreadable';

/**
 * Reads predictions in every format that the field uses: the harness's `.json` (a list, or an object by instance id as
 * mini-swe-agent's and SWE-agent's `preds.json`) and `.jsonl`, and the output folders of both agents, with the
 * trajectories that lie there. What is wrong with one of them is a problem with its place, and the others are read. Of an
 * id that occurs twice the last is taken, as the harness does, and the others are problems.
 * @throws TaskError `predictions_unreadable` where the whole cannot be read
 */
export async function readPredictions(path: string): Promise<Predictions> {
  try {
    const located = await locatePredictions(path);
    const predictions = new Map<InstanceId, Prediction>();
    const problems: PredictionProblem[] = [];
    for await (const entry of entriesOf(located)) {
      const read = readEntry(entry);
      if ('problem' in read) problems.push(read);
      else {
        const earlier = predictions.get(read.instanceId);
        if (earlier !== undefined) problems.push(duplicate(earlier, read));
        predictions.set(read.instanceId, await withTrajectory(read, located));
      }
    }
    return { predictions: [...predictions.values()], problems };
  } catch (error) {
    if (error instanceof TaskError) throw error;
    throw unreadable(path, (error as Error).message, error);
  }
}

/** Parts predictions by the ids that are known: those of other instances become problems. */
export function keepKnown({ predictions, problems }: Predictions, known: ReadonlySet<string>): Predictions {
  const unknown = predictions.filter(({ instanceId }) => !known.has(instanceId));
  return {
    predictions: predictions.filter(({ instanceId }) => known.has(instanceId)),
    problems: [...problems, ...unknown.map((prediction) => problemOf(prediction, 'expected an id of the data set'))],
  };
}

function entriesOf(located: Located): AsyncGenerator<Entry> {
  switch (located.format) {
    case 'json':
      return jsonEntries(located.file);
    case 'lines':
      return lineEntries(located.file);
    case 'files':
      return fileEntries(located.files);
    default:
      return assertNever(located);
  }
}

async function withTrajectory(prediction: Prediction, located: Located): Promise<Prediction> {
  const file = located.format === 'files' ? prediction.place : located.file;
  const trajectoryFile = await trajectoryOf(file, prediction.instanceId);
  return trajectoryFile === null ? prediction : { ...prediction, trajectoryFile };
}

function duplicate(earlier: Prediction, taken: Prediction): PredictionProblem {
  return problemOf(earlier, `expected an id that occurs once, the one of ${taken.place} is taken`);
}

function problemOf({ place, instanceId }: Prediction, expected: string): PredictionProblem {
  const problem = problemLines([{ field: 'instance_id', value: instanceId, expected }]).join('');
  return { place, instanceId, problem };
}
