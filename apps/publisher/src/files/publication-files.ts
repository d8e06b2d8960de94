import type { KeyObject } from 'node:crypto';
import type { PublicationSpec } from '@assay/contracts';
import type { NewAsset } from '@assay/github';
import { type ArchiveParts, caseArchives } from './case-archives';
import { resultFile } from './result-file';
import { statementFile } from './statement-file';

/**
 * The set of files of a publication, in the order in which the block names them; the result is the first. The same run
 * has the same files on every try, whoever makes them. All of them are on the release before the block points to them.
 * @param signingKey signs them in one more file, the last; null: nothing is signed
 */
export async function publicationFiles(
  { result, cases }: Pick<PublicationSpec, 'result' | 'cases'>,
  parts: ArchiveParts,
  signingKey: KeyObject | null = null,
): Promise<NewAsset[]> {
  const files = [resultFile(result, parts.namespace), ...(await caseArchives(result, cases, parts))];
  if (signingKey === null) return files;
  return [...files, statementFile(result, files, { namespace: parts.namespace, signingKey })];
}
