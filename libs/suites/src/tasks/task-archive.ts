import { INSTANCE_ID_PATTERN, type InstanceId } from '@assay/contracts';
import { TaskError } from '@assay/failures';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type Extract, extract, type Header } from 'tar-stream';
import { memberParts, taskFolderOf } from './archive-member';

/** What an archive may unpack to, so that a small file cannot fill a disk. */
export interface ArchiveBounds {
  readonly bytes: number;
  readonly members: number;
}

const BOUNDS: ArchiveBounds = { bytes: 8 * 1024 ** 3, members: 200_000 };

/**
 * Unpacks the tasks of a `.tar.gz` into `dir`, which must be empty, and returns the folder of each by its name. Only folders
 * and regular files are written; what belongs to no task is passed over. Nothing that the archive says leads out of `dir`.
 * @throws TaskError `archive_invalid` naming the member that is wrong; an error of the host as it is
 */
export async function unpackTasks(
  file: string,
  dir: string,
  bounds: ArchiveBounds = BOUNDS,
): Promise<ReadonlyMap<InstanceId, string>> {
  const entries = extract();
  const broken = new AbortController();
  const source = createReadStream(file);
  try {
    const feeding = pipeline(source, createGunzip(), entries);
    // An archive that ends too early fails here, while the member that is being written would wait for ever.
    feeding.catch(() => {
      broken.abort();
    });
    const [, folders] = await Promise.all([
      feeding,
      writeMembers(entries, { file, dir, bounds, signal: broken.signal }),
    ]);
    return folders;
  } catch (error) {
    source.destroy();
    if (error instanceof TaskError || isOfHost(error)) throw error;
    throw invalid(file, String((error as { message?: unknown }).message ?? error), error);
  }
}

interface Unpacking {
  readonly file: string;
  readonly dir: string;
  readonly bounds: ArchiveBounds;
  readonly signal: AbortSignal;
}

async function writeMembers(
  entries: Extract,
  { file, dir, bounds, signal }: Unpacking,
): Promise<Map<InstanceId, string>> {
  const folders = new Map<InstanceId, string>();
  let bytes = 0;
  let members = 0;
  for await (const entry of entries) {
    const { header } = entry;
    const parts = memberParts(header.name);
    if (parts === null) throw invalid(file, `${named(header)} is no plain relative path`);
    bytes += header.size;
    members += 1;
    if (bytes > bounds.bytes) throw invalid(file, `it unpacks to more than ${bounds.bytes} bytes`);
    if (members > bounds.members) throw invalid(file, `it has more than ${bounds.members} members`);
    // What lies beside the tasks is not written, whatever it is.
    if (parts.length < 3 || parts[0] !== 'tasks' || parts[1] === 'packages') {
      entry.resume();
      continue;
    }
    const path = join(dir, ...parts);
    if (header.type === 'directory') {
      await mkdir(path, { recursive: true });
      entry.resume();
      continue;
    }
    if (header.type !== 'file') throw invalid(file, `${named(header)} is a ${header.type}: expected a file or folder`);
    const folder = taskFolderOf(parts);
    if (folder !== null) add(folders, file, { name: folder.name, path: join(dir, ...folder.parts) });
    await mkdir(dirname(path), { recursive: true });
    const executable = (header.mode & 0o100) !== 0;
    await pipeline(entry, createWriteStream(path, { flags: 'wx', mode: executable ? 0o755 : 0o644 }), { signal }).catch(
      (error: unknown) => {
        if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw invalid(file, `${named(header)} occurs twice`);
        throw error;
      },
    );
  }
  return folders;
}

function add(folders: Map<InstanceId, string>, file: string, { name, path }: { name: string; path: string }): void {
  if (!INSTANCE_ID_PATTERN.test(name))
    throw invalid(file, `${JSON.stringify(name)} is a name that no instance may have`);
  const id = name as InstanceId;
  if (folders.has(id)) throw invalid(file, `the task ${name} occurs twice`);
  folders.set(id, path);
}

const named = ({ name }: Header): string => JSON.stringify(name);

/** An error of the file system: a disk that is full is not the archive's fault. */
function isOfHost(error: unknown): boolean {
  const { code, syscall } = error as NodeJS.ErrnoException;
  return syscall !== undefined && code !== 'ENOTDIR' && code !== 'EEXIST' && code !== 'EISDIR';
}

function invalid(file: string, why: string, cause?: unknown): TaskError {
  return new TaskError(`${file} is no archive of tasks: ${why}`, {
    code: 'archive_invalid',
    phase: 'dispatch',
    details: { file },
    cause,
  });
}
