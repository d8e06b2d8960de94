import { type BlockLink, type NewAsset, type Release, type ReleaseAsset, unifiedDiff } from '@assay/github';

/** Where files will be found once they are uploaded: GitHub's addresses follow from the release's own page. */
export function predictedLinks({ pageUrl }: Release, files: readonly NewAsset[]): BlockLink[] {
  const downloads = pageUrl.replace('/releases/tag/', '/releases/download/');
  return files.map(({ title, name }) => ({ title, name, url: `${downloads}/${name}` }));
}

/**
 * All that a publication would change on a release: the files in lines of their own, then the notes as a unified diff
 * (programs that apply one skip what stands before it).
 */
export function releaseDifference(
  release: Release,
  body: string,
  files: { readonly added: readonly NewAsset[]; readonly removed: readonly ReleaseAsset[] },
): string {
  const notes = unifiedDiff(release.body ?? '', body, `notes of ${release.tag}`);
  return [
    ...files.added.map(({ name, size }) => `File added: ${name} (${size} bytes)\n`),
    ...files.removed.map(({ name, size }) => `File removed: ${name} (${size} bytes)\n`),
    notes === '' ? 'The notes would not change.\n' : notes,
  ].join('');
}
