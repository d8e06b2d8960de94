import type { PublicationSpec } from '@assay/contracts';
import { InfraError, TaskError } from '@assay/failures';
import type { Release } from '@assay/github';

/**
 * Refuses a release that is not exactly the one the run was submitted for: another repository (also after a transfer or a
 * rename), id or tag. So no mistake in a submission can write on the release of another tag family or another project.
 * @throws TaskError `release_mismatch` (for good: the run is submitted anew for what the release is now), InfraError `release_is_draft` (tried again: it may be published yet)
 */
export function checkRelease(release: Release, spec: PublicationSpec): void {
  const { repository, releaseId, tag, result } = spec;
  const differences = [
    difference('repository', release.repository.toLowerCase(), repository.toLowerCase()),
    difference('id', release.id, releaseId),
    difference('tag', release.tag, tag),
    difference('repository of the result', result.release?.repository.toLowerCase(), repository.toLowerCase()),
    difference('tag of the result', result.release?.tag, tag),
  ].filter((found) => found !== null);
  if (differences.length > 0) {
    throw new TaskError(`the release is not the one of the run: ${differences.join('; ')}`, {
      code: 'release_mismatch',
      phase: 'publish',
      details: { repository, releaseId, tag },
    });
  }
  if (!release.draft) return;
  throw new InfraError(`release ${tag} of ${repository} is a draft: results are written on published releases only`, {
    code: 'release_is_draft',
    phase: 'publish',
    details: { repository, releaseId, tag },
  });
}

function difference(what: string, found: string | number | undefined, wanted: string | number): string | null {
  return found === wanted ? null : `${what} is ${found ?? 'nothing'}, not ${wanted}`;
}
