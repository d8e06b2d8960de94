/** One file that a patch changes. */
export interface ChangedFile {
  /** As it is called after the patch (before it, when the patch deletes it). */
  readonly path: string;
  readonly added: boolean;
}

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

/**
 * The files that a unified diff (git's or plain) changes, in order. Lines inside hunks are counted off and never taken
 * for headers. Total: text that is no patch has no files.
 */
export function changedFiles(patch: string): ChangedFile[] {
  const files = new Map<string, boolean>();
  let latest: string | null = null;
  let added = false;
  let oldPath: string | null = null;
  let oldLeft = 0;
  let newLeft = 0;
  for (const line of patch.split('\n')) {
    if (oldLeft > 0 || newLeft > 0) {
      if (line.startsWith('\\')) continue;
      if (!line.startsWith('+')) oldLeft -= 1;
      if (!line.startsWith('-')) newLeft -= 1;
      continue;
    }
    const hunk = HUNK.exec(line);
    if (hunk !== null) {
      oldLeft = Number(hunk[1] ?? 1);
      newLeft = Number(hunk[2] ?? 1);
    } else if (line.startsWith('diff --git ')) {
      added = false;
      oldPath = null;
      // A change of mode, or of a binary or empty file, has no other header that names it.
      const path = gitHeaderPath(line);
      if (path !== null) files.set(path, false);
      latest = path;
    } else if (line.startsWith('new file mode')) {
      added = true;
      if (latest !== null) files.set(latest, true);
    } else if (line.startsWith('--- ')) {
      oldPath = headerPath(line.slice(4));
      if (oldPath === null) added = true;
    } else if (line.startsWith('+++ ')) {
      const path = headerPath(line.slice(4)) ?? oldPath;
      if (path !== null) files.set(path, added);
      added = false;
    } else if (line.startsWith('rename to ') || line.startsWith('copy to ')) {
      files.set(unquoted(line.slice(line.indexOf(' to ') + 4)), false);
    }
  }
  return [...files].map(([path, isNew]) => ({ path, added: isNew }));
}

/** The path of `diff --git a/PATH b/PATH`; null when the two differ (a rename names them itself). */
function gitHeaderPath(line: string): string | null {
  const pair = line.slice('diff --git '.length).trimEnd();
  const half = (pair.length - 1) / 2;
  const [before, after] = [pair.slice(0, half), pair.slice(half + 1)].map(unquoted);
  if (before?.startsWith('a/') !== true || after?.startsWith('b/') !== true) return null;
  return before.slice(2) === after.slice(2) ? after.slice(2) : null;
}

/** The path of a `---` or `+++` line without `a/` or `b/`; null for /dev/null. */
function headerPath(text: string): string | null {
  const path = unquoted(text.split('\t', 1)[0]?.trimEnd() ?? '');
  if (path === '/dev/null') return null;
  return /^[ab]\//.test(path) ? path.slice(2) : path;
}

function unquoted(path: string): string {
  return path.length > 1 && path.startsWith('"') && path.endsWith('"') ? path.slice(1, -1) : path;
}
