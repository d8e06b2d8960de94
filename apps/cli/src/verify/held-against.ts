import type { Finding } from '@assay/evidence';
import { blockDifferences, blockSuites } from '@assay/github';
import type { Verified } from './evidence-folder';
import type { ReleaseAddress } from './release-address';
import type { FetchedRelease } from './release-files.client';

/**
 * What a release says is held against what was signed: each result must be of this very release, its block must say what it
 * says, and no block and no file of ours may be there that nothing signs. What belongs to no statement stands at the first.
 */
export function heldAgainst(
  release: FetchedRelease,
  address: ReleaseAddress,
  verified: readonly Verified[],
): Verified[] {
  const unsigned = [...unsignedFiles(release, verified), ...unsignedBlocks(release, verified)];
  return verified.map((one, at) => ({
    ...one,
    findings: [
      ...one.findings,
      ...ofAnotherRelease(one, address),
      ...saidOtherwise(one, release),
      ...(at === 0 ? unsigned : []),
    ],
  }));
}

/** Results and their files can be copied from one release to another, signature and all. */
function ofAnotherRelease({ name, statement }: Verified, { repository, tag }: ReleaseAddress): Finding[] {
  if (statement === null) return [];
  const { release } = statement.predicate.assay;
  if (release?.repository.toLowerCase() === repository.toLowerCase() && release.tag === tag) return [];
  const signed = release === null ? 'no release' : `${release.repository} ${release.tag}`;
  return [{ about: 'statement', message: `${name} is of ${signed}, not of ${repository} ${tag}` }];
}

function saidOtherwise({ result }: Verified, { notes, files }: FetchedRelease): Finding[] {
  if (result === null) return [];
  return blockDifferences(notes, result, files).map((message) => ({ about: 'notes', message }));
}

function unsignedFiles({ files }: FetchedRelease, verified: readonly Verified[]): Finding[] {
  const signed = new Set(
    verified.flatMap(({ name, statement }) => [name, ...(statement?.subject.map((subject) => subject.name) ?? [])]),
  );
  return files
    .filter(({ name }) => !signed.has(name))
    .map(({ name }) => ({ about: 'file', message: `${name} is on the release, and no statement signs it` }));
}

function unsignedBlocks({ notes }: FetchedRelease, verified: readonly Verified[]): Finding[] {
  const signed = new Set(verified.flatMap(({ statement }) => statement?.predicate.assay.suite ?? []));
  return blockSuites(notes)
    .filter((suite) => !signed.has(suite))
    .map((suite) => ({
      about: 'notes',
      message: `the notes have a block of the suite ${suite}, and no statement is of it`,
    }));
}
