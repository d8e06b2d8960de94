import { chmod, readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';

/**
 * Makes a tree readable for every user of a sandbox, whatever the umask of the one who unpacked it, writable for none but him,
 * and executable where it was or where the patterns (`*`: one part of a path) say so.
 */
export async function sealTree(dir: string, executables: readonly string[]): Promise<void> {
  await chmod(dir, 0o755);
  const matches = executables.map(patternOf);
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) await chmod(path, 0o755);
    else if (entry.isFile()) {
      const runs = ((await stat(path)).mode & 0o111) !== 0 || matches.some((match) => match.test(relative(dir, path)));
      await chmod(path, runs ? 0o755 : 0o644);
    }
  }
}

function patternOf(pattern: string): RegExp {
  const escaped = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${escaped.join('[^/]*')}$`);
}
