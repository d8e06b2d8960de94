import { createHash } from 'node:crypto';
import { type Namespace, PublicResult } from '@assay/contracts';
import type { NewAsset, ReleaseAsset } from '@assay/github';

/**
 * The result as a file on the release. Its name holds the start of its digest, so a new result never takes the place of
 * one that a block still points to, and the same result has the same name on every try.
 */
export function resultFile(result: PublicResult, namespace: Namespace): NewAsset {
  const content = Buffer.from(`${JSON.stringify(PublicResult.parse(result), null, 2)}\n`);
  const digest = createHash('sha256').update(content).digest('hex');
  return {
    name: `assay-${result.suite}-${result.runId}-${digest.slice(0, 8)}.json`,
    label: labelOf(result.suite, namespace),
    mediaType: 'application/json',
    content,
  };
}

/**
 * Files of earlier results of this suite. They are known by their label, which names deployment and suite without doubt
 * (suite `a` with run `b-1` and suite `a-b` with run `1` have the same file names); other files are never touched.
 */
export function olderResultFiles(assets: readonly ReleaseAsset[], current: NewAsset): ReleaseAsset[] {
  return assets.filter(
    ({ name, label }) => label === current.label && name !== current.name && /^assay-.+-[0-9a-f]{8}\.json$/.test(name),
  );
}

function labelOf(suite: string, namespace: Namespace): string {
  return `Assay result: ${suite} (${namespace})`;
}
