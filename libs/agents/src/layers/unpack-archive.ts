import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { InfraError } from '@assay/failures';

const MOST_BYTES = 2_147_483_648;
const MOST_FILES = 200_000;

/**
 * Unpacks an npm archive without its first folder. Only files and folders, only below `dir`; executable stays executable,
 * nothing else of the modes is taken.
 * @param wanted whether a file (path without the first folder) is needed
 * @throws InfraError `agent_package_corrupt` for anything that no npm package holds
 */
export async function unpackArchive(
  file: string,
  dir: string,
  wanted: (path: string) => boolean = () => true,
): Promise<void> {
  let bytes = 0;
  let files = 0;
  const unpacking = extract();
  const reading = pipeline(createReadStream(file), createGunzip(), unpacking);
  reading.catch(() => undefined); // thrown below, after what was being written has stopped
  for await (const entry of unpacking) {
    const { name, type, mode, size } = entry.header;
    const path = name.split('/').slice(1).join('/');
    files += 1;
    bytes += size;
    if (files > MOST_FILES || bytes > MOST_BYTES) throw broken(file, `it holds more than ${MOST_FILES} files or 2 GiB`);
    if (type === 'directory' || path === '' || (isFile(type) && !wanted(path))) {
      entry.resume();
      continue;
    }
    if (!isFile(type)) throw broken(file, `${name} is a ${type}`);
    const target = join(dir, path);
    if (!target.startsWith(dir + sep)) throw broken(file, `${name} lies outside`);
    await mkdir(dirname(target), { recursive: true });
    await pipeline(entry, createWriteStream(target, { mode: (mode & 0o111) === 0 ? 0o644 : 0o755 }));
  }
  await reading;
}

function isFile(type: string): boolean {
  return type === 'file' || type === 'contiguous-file';
}

function broken(file: string, why: string): InfraError {
  return new InfraError(`${file} is no archive of npm: ${why}`, {
    code: 'agent_package_corrupt',
    phase: 'prepare',
    details: { file, why },
  });
}
