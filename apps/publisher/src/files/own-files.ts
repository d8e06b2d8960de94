import type { Digest, Namespace, RunResult } from '@assay/contracts';
import type { ReleaseAsset } from '@assay/github';

/** What a file of a publication is. One more kind (a signed statement) needs its word here, to be removed with the rest. */
const KINDS = ['result', 'trajectories', 'statement'] as const;
export type FileKind = (typeof KINDS)[number];

/** The name of a file: whose it is, and the start of its digest. `ending` without its period. */
export function fileName({ suite, runId }: Pick<RunResult, 'suite' | 'runId'>, digest: Digest, ending: string): string {
  return `assay-${suite}-${runId}-${digest.slice(0, 8)}.${ending}`;
}

/** How GitHub shows a file, and how it is known again: kind, suite and deployment without doubt. */
export function fileLabel(kind: FileKind, suite: string, namespace: Namespace): string {
  return `Assay ${kind}: ${suite} (${namespace})`;
}

/**
 * Files of earlier publications of this suite and deployment. They are known by their label (suite `a` with run `b-1` and
 * suite `a-b` with run `1` have the same file names) and by the form of their name; other files are never touched.
 * @param current names that stay
 */
export function olderFiles(
  assets: readonly ReleaseAsset[],
  { suite, namespace, current }: { suite: string; namespace: Namespace; current: readonly string[] },
): ReleaseAsset[] {
  const labels = new Set(KINDS.map((kind) => fileLabel(kind, suite, namespace)));
  return assets.filter(
    ({ name, label }) =>
      labels.has(label) && /^assay-.+-[0-9a-f]{8}\.[a-z0-9.]+$/.test(name) && !current.includes(name),
  );
}
