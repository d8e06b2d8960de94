import type { WorkflowClaims } from '@assay/github';
import { type AccessPolicy, matchesPattern } from '@assay/release-policy';

type RepositoryAccess = AccessPolicy['repositories'][number];

export type WorkflowRefusal =
  'repository_not_allowed' | 'repository_renamed' | 'event_not_allowed' | 'ref_not_allowed' | 'workflow_not_allowed';

export type WorkflowAnswer =
  | { readonly answer: 'allowed'; readonly repository: string }
  | { readonly answer: 'refused'; readonly reason: WorkflowRefusal; readonly message: string };

/**
 * Whether the policy lets this job in. Repository and owner are matched by number, because a name can be given up and
 * taken by somebody else; event, ref and workflow must each be listed. Both the workflow that was started and the one
 * that the job is written in must be files of the repository itself, at a listed ref: otherwise a listed workflow that
 * calls a foreign one would lend it its name, and the reverse.
 */
export function allowedWorkflow(access: AccessPolicy, claims: WorkflowClaims): WorkflowAnswer {
  const repository = access.repositories.find(
    ({ id, ownerId }) => id === claims.repository_id && ownerId === claims.repository_owner_id,
  );
  if (repository === undefined) {
    const { repository: name, repository_id: id, repository_owner_id: owner } = claims;
    return refused('repository_not_allowed', `the policy does not list ${name} (id ${id}, owner id ${owner})`);
  }
  if (repository.name.toLowerCase() !== claims.repository.toLowerCase()) {
    const message = `repository ${repository.id} is called ${claims.repository} now, and ${repository.name} by the policy`;
    return refused('repository_renamed', message);
  }
  return notListed(repository, claims) ?? { answer: 'allowed', repository: repository.name };
}

/** Null when event, ref and workflows are all listed. */
function notListed(repository: RepositoryAccess, claims: WorkflowClaims): WorkflowAnswer | null {
  const { name } = repository;
  if (!repository.events.some((event) => event === claims.event_name)) {
    return refused('event_not_allowed', `the policy does not list the event ${claims.event_name} of ${name}`);
  }
  if (!refIsListed(repository, claims.ref)) {
    return refused('ref_not_allowed', `the policy does not list the ref ${claims.ref} of ${name}`);
  }
  const workflows = [claims.workflow_ref, claims.job_workflow_ref];
  const foreign = workflows.find((workflow) => !workflowIsListed(repository, workflow));
  if (foreign === undefined) return null;
  return refused('workflow_not_allowed', `the policy does not list the workflow ${foreign} of ${name}`);
}

/** @param workflow `owner/name/path@ref`; a listed path has no `@`, so the first one begins the ref */
function workflowIsListed(repository: RepositoryAccess, workflow: string): boolean {
  const at = workflow.indexOf('@');
  const [file, ref] = [workflow.slice(0, at), workflow.slice(at + 1)];
  const own = `${repository.name}/`;
  if (at < 0 || file.slice(0, own.length).toLowerCase() !== own.toLowerCase()) return false;
  return repository.workflows.includes(file.slice(own.length)) && refIsListed(repository, ref);
}

function refIsListed({ refs }: RepositoryAccess, ref: string): boolean {
  return refs.some((pattern) => matchesPattern(pattern, ref));
}

function refused(reason: WorkflowRefusal, message: string): WorkflowAnswer {
  return { answer: 'refused', reason, message };
}
