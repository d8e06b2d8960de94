/** The names of an image as the engine tells them. */
export interface Named {
  readonly RepoTags?: readonly string[] | null;
  readonly RepoDigests?: readonly string[] | null;
}

/** Tags and digests. */
export function namesOf({ RepoTags, RepoDigests }: Named): string[] {
  return [...(RepoTags ?? []), ...(RepoDigests ?? [])];
}

/**
 * Whether an image has names, beside ours, that one pull does not give: it gives one tag at most, and digests of one
 * repository. Then somebody else wants it too.
 */
export function isOthersToo(names: readonly string[]): boolean {
  const tags = names.filter((name) => !name.includes('@'));
  return tags.length > 1 || new Set(names.map(repositoryOf)).size > 1;
}

function repositoryOf(name: string): string {
  return name.replace(/@.*$/, '').replace(/:[^/:]*$/, '');
}
