import { type Namespace, RunResult } from '@assay/contracts';
import { type NewAsset, smallAsset } from '@assay/github';
import { fileLabel, fileName } from './own-files';

/**
 * The result as a file on the release. Its name holds the start of its digest, so a new result never takes the place of
 * one that a block still points to, and the same result has the same name on every try.
 */
export function resultFile(result: RunResult, namespace: Namespace): NewAsset {
  return smallAsset(
    {
      nameOf: (digest) => fileName(result, digest, 'json'),
      label: fileLabel('result', result.suite, namespace),
      title: result.status === 'FAILED' ? 'As a file' : 'Every instance',
      mediaType: 'application/json',
    },
    Buffer.from(`${JSON.stringify(RunResult.parse(result), null, 2)}\n`),
  );
}
