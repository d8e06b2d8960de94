import { dirname } from 'node:path';
import { InfraError } from '@assay/failures';
import type { ExecResult, Sandbox } from '@assay/sandbox';
import { CHECK } from './check.script';
import { CUT, REMOVE } from './cut.script';

/** A big repository is packed anew within a minute. */
const LONGEST_MS = 300_000;

const MAX_OUTPUT_BYTES = 1_048_576;

/** Whose the first repository of the workspace is, and whether there is a git. Nothing when there is no repository. */
const LOOK = `
found=$(find "$1" -name .git -prune -print | head -n 1)
[ -n "$found" ] || exit 0
stat -c '%u:%g' "$found" || exit 1
if command -v git >/dev/null; then echo git; fi
`;

/** A repository whose history was cut. */
export interface CutRepository {
  /** Its git folder, inside. */
  readonly folder: string;
  /** The commit that is its newest now; null: none was ever made. */
  readonly head: string | null;
}

/**
 * Takes from the repositories of a workspace all that their HEAD does not reach: other branches, tags, remotes, reflogs,
 * stashes, notes, replacements, worktrees, hooks, alternates, and every object that is reached by these alone or by
 * nothing. Ids and ancestors of HEAD stay, so do index and files. In an image without git the repositories go as a whole.
 * The sandbox's own git does it, as the owner of the repository; then every object that is there is looked at.
 * @throws InfraError `history_not_cut`: the agent must not start
 */
export async function cutHistory(sandbox: Sandbox): Promise<readonly CutRepository[]> {
  const [owner, git] = (await run(sandbox, LOOK, null)).split('\n');
  if (owner === undefined || owner === '') return [];
  if (git !== 'git') {
    await run(sandbox, REMOVE, owner);
    return [];
  }
  const cut = headsIn(await run(sandbox, CUT, owner));
  const output = await run(sandbox, CHECK, owner);
  const checked = headsIn(output);
  if (!output.endsWith('checked\n') || checked.join('\n') !== cut.join('\n')) {
    throw notCut('the repository is not what it was cut to', { cut, checked, output: output.slice(-2_000) });
  }
  return cut.map(repositoryOf);
}

/** Lines of git itself may stand between ours. */
function headsIn(output: string): string[] {
  return output.split('\n').filter((line) => line.startsWith('head '));
}

function repositoryOf(line: string): CutRepository {
  const [, head = 'none', folder = ''] = /^head (\S+) (.*)$/.exec(line) ?? [];
  return { folder, head: head === 'none' ? null : head };
}

/** Output of a script. @param owner who owns the repository; null: whoever the sandbox runs as */
async function run(sandbox: Sandbox, script: string, owner: string | null): Promise<string> {
  const root = dirname(sandbox.paths.tests);
  const result = await sandbox.exec({
    command: ['/bin/sh', '-c', script, 'sh', sandbox.workdir, root],
    cwd: root,
    timeoutMs: LONGEST_MS,
    maxOutputBytes: MAX_OUTPUT_BYTES,
    ...(owner === null ? {} : { user: owner }),
  });
  const output = result.output.toString('utf8');
  const problem = /^problem: (.*)$/m.exec(output)?.[1];
  if (result.exitCode === 0 && problem === undefined && !result.truncated) return output;
  throw notCut(problem ?? howItEnded(result), { output: output.slice(-2_000), exitCode: result.exitCode });
}

function howItEnded({ exitCode, timedOut }: ExecResult): string {
  if (timedOut) return `it took longer than ${LONGEST_MS / 1000} s`;
  return exitCode === null ? 'it was killed' : `it ended with ${exitCode}`;
}

function notCut(why: string, details: Record<string, unknown>): InfraError {
  const message = `the git history beyond the base commit cannot be taken away: ${why}`;
  return new InfraError(message, { code: 'history_not_cut', phase: 'prepare', details });
}
