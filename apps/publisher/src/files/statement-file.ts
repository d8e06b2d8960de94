import type { KeyObject } from 'node:crypto';
import type { Namespace, RunResult } from '@assay/contracts';
import { signStatement, summaryOf } from '@assay/evidence';
import { type NewAsset, smallAsset } from '@assay/github';
import { fileLabel, fileName } from './own-files';

/** The signed statement over the other files of a publication. Ed25519 signs the same text the same way every time. */
export function statementFile(
  result: RunResult,
  files: readonly NewAsset[],
  { namespace, signingKey }: { readonly namespace: Namespace; readonly signingKey: KeyObject },
): NewAsset {
  const subjects = files.map(({ name, digest }) => ({ name, sha256: digest }));
  const manifest = result.status === 'FAILED' ? null : result.manifestDigest;
  const envelope = signStatement(summaryOf(result), manifest, subjects, signingKey);
  return smallAsset(
    {
      nameOf: (digest) => fileName(result, digest, 'intoto.json'),
      label: fileLabel('statement', result.suite, namespace),
      title: 'Signed statement',
      mediaType: 'application/json',
    },
    Buffer.from(`${JSON.stringify(envelope)}\n`),
  );
}
