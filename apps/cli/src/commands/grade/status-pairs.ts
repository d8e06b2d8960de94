/** Pairs that are written at once. */
const BATCH = 10_000;

/** A map of test ids and statuses as JSON, `[[id, status], …]` in order, in pieces: it may hold millions. */
export function* statusPairs(statuses: ReadonlyMap<string, string>): Generator<string> {
  let batch: string[] = [];
  let separator = '[';
  for (const pair of statuses) {
    batch.push(JSON.stringify(pair));
    if (batch.length < BATCH) continue;
    yield separator + batch.join(',');
    separator = ',';
    batch = [];
  }
  yield batch.length > 0 || separator === '[' ? `${separator}${batch.join(',')}]` : ']';
}
