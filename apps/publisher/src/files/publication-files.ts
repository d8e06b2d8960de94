import type { PublicationSpec } from '@assay/contracts';
import type { NewAsset } from '@assay/github';
import { type ArchiveParts, caseArchives } from './case-archives';
import { resultFile } from './result-file';

/**
 * The set of files of a publication, in the order in which the block names them; the result is the first. The same run
 * has the same files on every try, whoever makes them. All of them are on the release before the block points to them.
 */
export async function publicationFiles(
  { result, cases }: Pick<PublicationSpec, 'result' | 'cases'>,
  parts: ArchiveParts,
): Promise<NewAsset[]> {
  return [resultFile(result, parts.namespace), ...(await caseArchives(result, cases, parts))];
}
