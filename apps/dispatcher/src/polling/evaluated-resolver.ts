import { type Database, noteCommit, type RunRow } from '@assay/persistence';
import { type FailureCode, InfraError, TaskError } from '@assay/failures';
import { packageVersionOf } from '@assay/release-policy';
import type { Evaluated } from '@assay/suites';
import type { ReleaseLookup } from '../releases/release-lookup.port';

/** Looks after which a tag that GitHub does not have will not come: for so long GitHub may lag behind itself. */
const PATIENT_LOOKS = 5;

/** Finds out what a run's ref stands for. */
export class EvaluatedResolver {
  /** @param releases null: nothing is configured that could be asked */
  constructor(
    private readonly database: Database,
    private readonly releases: ReleaseLookup | null,
  ) {}

  /**
   * The commit and version of the run's ref; the commit is kept with the run, so that it is asked for once.
   * @throws TaskError `ref_wrong`, `tag_moved`; InfraError `ref_not_there` with `retryAfterSeconds` in its details
   */
  async resolve(run: RunRow, signal: AbortSignal): Promise<Evaluated> {
    const { evaluated } = run.request;
    const version = run.origin?.plan.packageVersion ?? evaluated.packageVersion ?? evaluated.ref;
    const found = { ref: evaluated.ref, packageVersion: packageVersionOf(version) };
    const known = run.evaluatedCommit ?? evaluated.commit;
    if (known !== undefined) return { ...found, commit: known };
    const commit = await this.commitNow(run, signal);
    await noteCommit(this.database, { runId: run.id, commit });
    return { ...found, commit };
  }

  /**
   * Looks once more, right before freezing: since the first look the run may have waited for an hour.
   * @throws as `resolve`; InfraError `ref_not_there` where the tag has moved and nobody promised a commit: the next look
   *   takes the new one
   */
  async confirm(run: RunRow, { commit }: Evaluated, signal: AbortSignal): Promise<void> {
    if (run.request.evaluated.commit !== undefined || run.evaluatedCommit === null) return;
    const now = await this.commitNow(run, signal);
    if (now === commit) return;
    await noteCommit(this.database, { runId: run.id, commit: now });
    throw notYet(`${run.request.evaluated.ref} has moved from ${commit} to ${now} while the run waited`, null);
  }

  private async commitNow(run: RunRow, signal: AbortSignal): Promise<string> {
    const { ref } = run.request.evaluated;
    const { origin } = run;
    const commit = await this.commitOf(run, ref, signal);
    const told = origin?.request.commit;
    if (told !== undefined && told !== commit) throw moved(ref, told, commit);
    if (origin?.principal.kind !== 'workflow' || origin.request.event !== 'release') return commit;
    // The token of a release's workflow holds the commit that was released.
    const { releaseTag } = origin.request;
    const released = releaseTag === ref ? commit : await this.commitOf(run, releaseTag, signal);
    if (released !== origin.principal.sha) throw moved(releaseTag, origin.principal.sha, released);
    return commit;
  }

  private async commitOf({ request, pollTries }: RunRow, ref: string, signal: AbortSignal): Promise<string> {
    const repository = request.release?.repository;
    if (this.releases === null || repository === undefined) {
      throw wrong('ref_wrong', `nothing can be asked for the commit of ${ref}: GITHUB_API_URL is not set`, { ref });
    }
    const found = await this.releases.commitOf(repository, ref, signal);
    switch (found.answer) {
      case 'there':
        return found.commit;
      case 'wrong':
        throw wrong('ref_wrong', found.reason, { repository, ref });
      case 'missing':
        if (pollTries >= PATIENT_LOOKS) throw wrong('ref_wrong', found.reason, { repository, ref });
        throw notYet(found.reason, null);
      case 'not_yet':
        throw notYet(found.reason, found.retryAfterSeconds);
    }
  }
}

function notYet(reason: string, retryAfterSeconds: number | null): InfraError {
  return new InfraError(reason, { code: 'ref_not_there', phase: 'dispatch', details: { retryAfterSeconds } });
}

function moved(tag: string, then: string, now: string): TaskError {
  const message = `the tag ${tag} has moved: the run was handed in for commit ${then}, and it is ${now} now`;
  return wrong('tag_moved', message, { tag, then, now });
}

function wrong(code: FailureCode, message: string, details: Record<string, unknown>): TaskError {
  return new TaskError(message, { code, phase: 'dispatch', details });
}
