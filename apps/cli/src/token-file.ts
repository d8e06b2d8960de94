import { readFileSync, statSync, type Stats } from 'node:fs';
import { UsageError } from './output';

const LARGEST = 64 * 1024;

/**
 * The bearer token in a file, without the white space at its end. Throws UsageError naming the file and what is wrong
 * with it; never shows the content.
 */
export function readTokenFile(
  file: string,
  { of, options } = { of: 'API token', options: '--token-file or ASSAY_API_TOKEN_FILE' },
): string {
  const refuse = (reason: string): never => {
    throw new UsageError(`${of} file ${file}: ${reason} (${options})`);
  };
  const text = attempt(() => contentOf(file, refuse), refuse).trimEnd();
  if (text === '') return refuse('expected a token, but the file is empty');
  if (!/^[\x21-\x7e]+$/.test(text)) {
    return refuse('expected one line of printable ASCII characters without spaces; its content is not shown');
  }
  return text;
}

function contentOf(file: string, refuse: (reason: string) => never): string {
  const found = statSync(file);
  if (!found.isFile() && !found.isFIFO()) return refuse(`expected a file, but it is ${kindOf(found)}`);
  if (found.size > LARGEST) return refuse(`expected a token, but the file has ${found.size} bytes`);
  return readFileSync(file, 'utf8');
}

/** Errors of the file system as a refusal in words. */
function attempt<T>(work: () => T, refuse: (reason: string) => never): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    return refuse(WORDS[(error as NodeJS.ErrnoException).code ?? ''] ?? `cannot be read: ${(error as Error).message}`);
  }
}

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'expected a file with the token, but it is not there',
  EACCES: 'may not be read by this user',
  ENOTDIR: 'expected a file with the token, but its path leads through a file',
};

function kindOf(found: Stats): string {
  return found.isDirectory() ? 'a folder' : 'a device or socket';
}
