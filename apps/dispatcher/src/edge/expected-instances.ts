import type { Suite } from '@assay/suites';

/** What is asked of a suite; null: nothing. */
export interface Asked {
  readonly limit: number | null;
  readonly instanceId: string | null;
}

/** How many instances a run of the suite will have; null where only reading its data can tell. */
export function expectedInstances(
  { source, defaultLimit, benchmarkSize }: Pick<Suite, 'source' | 'defaultLimit' | 'benchmarkSize'>,
  { limit, instanceId }: Asked,
): number | null {
  if (instanceId !== null) return 1;
  const asked = limit ?? defaultLimit;
  if (asked !== null) return asked;
  if (source.kind !== 'swebench') return benchmarkSize;
  if (source.select !== undefined) return null;
  return source.instances?.length ?? benchmarkSize;
}
