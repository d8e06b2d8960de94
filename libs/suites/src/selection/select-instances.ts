import { pythonMatch } from './python-pattern';
import { PythonRandom } from './python-random';
import { pythonSlice } from './python-slice';
import { selectionInvalid } from './selection-invalid';
import { sortedIds } from './sorted-ids';

/** Which instances of a data set are meant, in mini-swe-agent's and SWE-agent's words. All may be left out. */
export interface InstanceSelection {
  /** A regular expression of Python that must match at the beginning of the id. */
  readonly filter?: string | undefined;
  /** Python's slice of what is left after shuffle and filter: `5`, `10:20`, `-5:`, `::2`. */
  readonly slice?: string | undefined;
  /** Shuffle first, so that a slice is a sample. */
  readonly shuffle?: boolean | undefined;
  /** Of the shuffle; default 42, which is what both agents always use. */
  readonly seed?: number | undefined;
}

export const DEFAULT_SEED = 42;

/**
 * The ids that a selection means: shuffled (sorted first, so that the order of the data set does not matter), then
 * filtered, then sliced, as mini-swe-agent does it (run/benchmarks/swebench.py, filter_instances). Without shuffle the
 * order of the input stays. The result may be empty.
 * @throws TaskError `selection_invalid`
 */
export function selectInstances<T extends string>(ids: readonly T[], selection: InstanceSelection): T[] {
  const { filter = '', slice = '', shuffle = false, seed = DEFAULT_SEED } = selection;
  const ordered = shuffle ? shuffled(ids, seed) : ids;
  const filtered = ordered.filter(pythonMatch(filter));
  return slice === '' ? filtered : pythonSlice(filtered, slice);
}

function shuffled<T extends string>(ids: readonly T[], seed: number): T[] {
  if (!Number.isSafeInteger(seed) || seed < 0) {
    throw selectionInvalid('seed', seed, 'expected a whole number from 0 to 9007199254740991');
  }
  const sorted = sortedIds(ids);
  new PythonRandom(seed).shuffle(sorted);
  return sorted;
}
