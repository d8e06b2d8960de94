import { posix } from 'node:path';
import { InfraError } from '@assay/failures';
import { textOf, type BytePath, type Sandbox } from '@assay/sandbox';

const STEP_MS = 120_000;

const REMOVE = 'rm -f -- "$@"';
/** Names that are no text, as `printf %b` writes them. A command ends with a dot: `$()` takes line feeds from its end. */
const REMOVE_BYTES = 'for n in "$@"; do f=$(printf "%b." "$n"); rm -f -- "${f%.}" || exit 1; done';
/** Folders that are empty now, with those above them that are empty then. */
const TIDY = 'for d in "$@"; do rmdir -p -- "$d" 2>/dev/null; done; exit 0';
const TIDY_BYTES = 'for n in "$@"; do f=$(printf "%b." "$n"); rmdir -p -- "${f%.}" 2>/dev/null; done; exit 0';

/** Bytes of names in one command line: far below the system's bound of 128 KiB for one argument and 2 MiB for all. */
const NAMES_BYTES = 100_000;

/** Takes files and links away from a sandbox's working directory, and folders that are empty then, as git does. */
export async function takeAway(sandbox: Sandbox, paths: readonly BytePath[], signal: AbortSignal): Promise<void> {
  const folders = [...new Set(paths.map((path) => posix.dirname(path)))].filter((folder) => folder !== '.');
  await eachPortion(paths, REMOVE, REMOVE_BYTES, (command) => run(sandbox, command, signal));
  await eachPortion(folders, TIDY, TIDY_BYTES, (command) => run(sandbox, command, signal));
}

/** Commands over all names: those that are text as they are, the others written in another way. */
async function eachPortion(
  paths: readonly BytePath[],
  ofText: string,
  ofBytes: string,
  run: (command: readonly string[]) => Promise<void>,
): Promise<void> {
  const text = paths.flatMap((path) => textOf(path) ?? []);
  const bytes = paths.filter((path) => textOf(path) === null).map(inOctal);
  for (const [script, names] of [
    [ofText, text],
    [ofBytes, bytes],
  ] as const) {
    for (const portion of portionsOf(names)) await run(['sh', '-c', script, 'sh', ...portion]);
  }
}

/** In portions, since a command line takes only so much. */
function* portionsOf(names: readonly string[]): Generator<string[]> {
  let portion: string[] = [];
  let bytes = 0;
  for (const name of names) {
    portion.push(`./${name}`);
    bytes += Buffer.byteLength(name) + 16;
    if (bytes < NAMES_BYTES) continue;
    yield portion;
    [portion, bytes] = [[], 0];
  }
  if (portion.length > 0) yield portion;
}

/** As the argument of `printf %b` (POSIX): `\0ooo` for each byte that is no plain character. */
function inOctal(path: BytePath): string {
  return path.replace(/[^A-Za-z0-9_./-]/g, (byte) => `\\0${byte.charCodeAt(0).toString(8).padStart(3, '0')}`);
}

async function run(sandbox: Sandbox, command: readonly string[], signal: AbortSignal): Promise<void> {
  const { exitCode, output } = await sandbox.exec({ command, timeoutMs: STEP_MS, maxOutputBytes: 4_096, signal });
  signal.throwIfAborted();
  if (exitCode === 0) return;
  throw new InfraError(`the patched files cannot be put into the sandbox: ${output.toString('utf8')}`, {
    code: 'patch_not_put_back',
    phase: 'grade',
    details: { exitCode },
  });
}
