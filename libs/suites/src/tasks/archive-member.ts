/** The parts of a member's name; null where it is no plain relative path. A leading `./` is nothing. */
export function memberParts(name: string): readonly string[] | null {
  // The root itself, `./`, is a member of many archives.
  if (/^\.\/?$/.test(name)) return ['.'];
  const parts = name
    .replace(/^(\.\/)+/, '')
    .replace(/\/$/, '')
    .split('/');
  const plain = parts.every((part) => part !== '' && part !== '.' && part !== '..') && !/[\0\\]/.test(name);
  return plain ? parts : null;
}

/**
 * The task that a file of an archive makes known, by the rule of qwen-code's writer of Terminal-Bench manifests: it is called
 * instruction.md, its path has at least four parts, the first `tasks` and the second not `packages`; the task is its folder.
 */
export function taskFolderOf(
  parts: readonly string[],
): { readonly name: string; readonly parts: readonly string[] } | null {
  if (parts.at(-1) !== 'instruction.md' || parts.length < 4) return null;
  if (parts[0] !== 'tasks' || parts[1] === 'packages') return null;
  const folder = parts.slice(0, -1);
  const name = folder.at(-1);
  return name === undefined ? null : { name, parts: folder };
}
